package symbols

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Mapping is a stretch of a process's memory that code lies in.
type Mapping struct {
	Start, End uint64
	Offset     uint64
	Path       string // of the file; "" where there is none
	inode      string // device and inode, as the kernel writes them
	file       *file  // nil where it cannot be read
}

// parseMaps passes over lines that make no sense.
func parseMaps(text string) []Mapping {
	var out []Mapping
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimRight(line, "\n"), " ", 6)
		if len(fields) < 5 || len(fields[1]) < 3 || fields[1][2] != 'x' {
			continue
		}
		from, to, ok := strings.Cut(fields[0], "-")
		start, err1 := strconv.ParseUint(from, 16, 64)
		end, err2 := strconv.ParseUint(to, 16, 64)
		offset, err3 := strconv.ParseUint(fields[2], 16, 64)
		if !ok || err1 != nil || err2 != nil || err3 != nil || end <= start {
			continue
		}
		m := Mapping{Start: start, End: end, Offset: offset}
		if len(fields) == 6 {
			m.Path = strings.TrimLeft(fields[5], " ")
			if strings.HasPrefix(m.Path, "/") {
				m.inode = fields[3] + " " + fields[4]
			}
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b Mapping) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// find is the mapping that an address lies in.
func find(maps []Mapping, addr uint64) (*Mapping, bool) {
	i, found := slices.BinarySearchFunc(maps, addr, func(m Mapping, a uint64) int { return cmp.Compare(m.Start, a) })
	if !found {
		i--
	}
	if i < 0 || addr >= maps[i].End {
		return nil, false
	}
	return &maps[i], true
}
