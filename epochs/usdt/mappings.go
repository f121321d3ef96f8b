package usdt

import (
	"bytes"
	"path"
	"strconv"
)

// MaxMappings is the largest number of files of one name that a process is taken to have mapped. A
// JVM maps one libjvm.so.
const MaxMappings = 16

// Range is the place where a process has mapped a part of a file: from Start up to End, as
// addresses of the process. It names the file without a path (/proc/PID/map_files,
// proc_pid_map_files(5)).
type Range struct{ Start, End uint64 }

// Mappings returns a range of each file called name that a process has mapped, from the text of its
// /proc/PID/maps. The text can have a process's own bytes in it, as paths: Mappings accepts any,
// skips lines that make no sense, and keeps at most MaxMappings ranges. It reports whether these
// are all.
func Mappings(maps []byte, name string) (ranges []Range, all bool) {
	type file struct{ device, inode string }
	var known []file
	for len(maps) > 0 {
		var line []byte
		line, maps, _ = bytes.Cut(maps, []byte{'\n'})
		// Addresses, permissions, offset, device, inode, path (proc_pid_maps(5)).
		addresses, rest, _ := bytes.Cut(line, []byte{' '})
		_, rest, _ = bytes.Cut(rest, []byte{' '})
		_, rest, _ = bytes.Cut(rest, []byte{' '})
		device, rest, _ := bytes.Cut(rest, []byte{' '})
		inode, rest, ok := bytes.Cut(rest, []byte{' '})
		in, ok2 := parseRange(addresses)
		where := bytes.TrimSuffix(bytes.TrimLeft(rest, " "), []byte(" (deleted)"))
		if !ok || !ok2 || len(where) <= len(name) || where[0] != '/' ||
			!bytes.HasSuffix(where, []byte(name)) || path.Base(string(where)) != name {
			continue
		}
		found := false
		for _, k := range known {
			found = found || k.device == string(device) && k.inode == string(inode)
		}
		switch {
		case found:
		case len(known) == MaxMappings:
			return ranges, false
		default:
			known = append(known, file{string(device), string(inode)})
			ranges = append(ranges, in)
		}
	}
	return ranges, true
}

func parseRange(text []byte) (Range, bool) {
	from, to, ok := bytes.Cut(text, []byte{'-'})
	if !ok || len(from) > 16 || len(to) > 16 {
		return Range{}, false
	}
	start, err := strconv.ParseUint(string(from), 16, 64)
	end, err2 := strconv.ParseUint(string(to), 16, 64)
	return Range{start, end}, err == nil && err2 == nil && start < end
}
