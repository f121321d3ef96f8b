package symbols

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
)

// mapping is a range of a process's memory that holds code.
type mapping struct {
	Start, End uint64
	Offset     uint64
	Path       string // path of the file; "" where there is none
	inode      string // device and inode of a file, as the kernel writes them
	file       *file  // nil: the file cannot be read
	module     string // name of the file in frames
}

// Bounds of the mappings of a process that are kept. A kernel lets a process have 65530 of all
// kinds by default (vm.max_map_count).
const (
	maxMappings = 1 << 16 // mappings of code, adjoining ones of no file as one: 4 MB
	// maxPaths bounds the bytes of paths, each counted where it differs from the one before; beyond
	// it mappings have no path
	maxPaths    = 4 << 20
	maxMapsText = 64 << 20 // bytes of text that are read
)

// parseMaps reads the text of a list of mappings, and skips lines that make no sense.
func parseMaps(text string) []mapping {
	maps, _ := readMappings(strings.NewReader(text)) // a text that ends early leaves what was read
	return maps
}

// readMappings reads mappings of code line by line, and skips lines that make no sense. Where a
// bound ends the reading, it returns the mappings before and errTooMany.
func readMappings(r io.Reader) (out []mapping, err error) {
	limited := &io.LimitedReader{R: r, N: maxMapsText}
	lines := bufio.NewReaderSize(limited, maxMapsLine)
	paths, last := 0, ""
	for {
		line, e := lines.ReadSlice('\n')
		for e == bufio.ErrBufferFull { // no path is that long
			line = nil
			_, e = lines.ReadSlice('\n')
		}
		if m, path, ok := parseMapping(line); ok {
			switch {
			case string(path) == last:
			case paths+len(path) > maxPaths:
				last, err = "", errTooMany
			default:
				paths, last = paths+len(path), string(path)
			}
			if m.Path = last; len(out) > 0 && out[len(out)-1].adjoins(&m) {
				out[len(out)-1].End = m.End
			} else if len(out) < maxMappings {
				out = append(out, m)
			} else {
				err = errTooMany
			}
		}
		if e == io.EOF {
			break
		}
		if e != nil {
			return nil, e
		}
	}
	if limited.N == 0 {
		err = errTooMany
	}
	slices.SortFunc(out, func(a, b mapping) int { return cmp.Compare(a.Start, b.Start) })
	return out, err
}

// maxInode bounds the text of a device and an inode.
const maxInode = 48

// maxMapsLine is longer than any line whose path has PATH_MAX bytes.
const maxMapsLine = 8 << 10

// adjoins reports whether a mapping of no file continues in the next. Those of files stay apart,
// since the file is found by the mapping's bounds.
func (m *mapping) adjoins(next *mapping) bool {
	return m.End == next.Start && m.Path == "" && next.Path == ""
}

// parseMapping parses a line, and returns false unless it is of code. The path is a part of the
// line.
func parseMapping(line []byte) (m mapping, path []byte, ok bool) {
	var fields [5][]byte
	rest := bytes.TrimRight(line, "\n")
	for i := range fields {
		if len(rest) == 0 && i == len(fields)-1 {
			return m, nil, false
		}
		fields[i], rest, _ = bytes.Cut(rest, []byte{' '})
	}
	if len(fields[1]) < 3 || fields[1][2] != 'x' || len(fields[0]) > 40 || len(fields[2]) > 20 {
		return m, nil, false
	}
	from, to, ok := strings.Cut(string(fields[0]), "-")
	start, err1 := strconv.ParseUint(from, 16, 64)
	end, err2 := strconv.ParseUint(to, 16, 64)
	offset, err3 := strconv.ParseUint(string(fields[2]), 16, 64)
	if !ok || err1 != nil || err2 != nil || err3 != nil || end <= start {
		return m, nil, false
	}
	m, path = mapping{Start: start, End: end, Offset: offset}, bytes.TrimLeft(rest, " ")
	if len(path) > 0 && path[0] == '/' && len(fields[3])+len(fields[4]) < maxInode {
		m.inode = string(fields[3]) + " " + string(fields[4])
	}
	return m, path, true
}

// key returns what identifies a mapped file: both inode and path, since another file can get
// either.
func (m *mapping) key() string { return m.inode + " " + m.Path }

// find returns the mapping that an address lies in.
func find(maps []mapping, addr uint64) (*mapping, bool) {
	i, found := slices.BinarySearchFunc(maps, addr,
		func(m mapping, a uint64) int { return cmp.Compare(m.Start, a) })
	if !found {
		i--
	}
	if i < 0 || addr >= maps[i].End {
		return nil, false
	}
	return &maps[i], true
}
