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
	// behind is the mapping of a file that ends where this one, of no file, begins; nil: there is
	// none
	behind *mapping
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
	// A text that ends early leaves what was read.
	maps, _, _ := readMappings(strings.NewReader(text))
	return maps
}

// readMappings reads mappings of code line by line, and skips lines that make no sense. Where a
// bound ends the reading, it returns the mappings before and errTooMany. Listed is the number of
// bytes that were read.
func readMappings(r io.Reader) (out []mapping, listed int, err error) {
	limited := &io.LimitedReader{R: r, N: maxMapsText}
	lines := bufio.NewReaderSize(limited, maxMapsLine)
	paths, last := 0, ""
	var before []byte // line of the last mapping of a file, of code or not
	for {
		line, e := lines.ReadSlice('\n')
		for e == bufio.ErrBufferFull { // no path is that long
			line = nil
			_, e = lines.ReadSlice('\n')
		}
		if m, path, ok := parseMapping(line, true); ok {
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
				if b := m.adjoined(before); b != nil && paths+len(b.Path) <= maxPaths {
					m.behind, paths = b, paths+len(b.Path)
				}
				out = append(out, m)
			} else {
				err = errTooMany
			}
		}
		if i := bytes.IndexByte(line, '/'); i > 0 && !inMemory(line[i:]) {
			before = append(before[:0], line...)
		}
		if e == io.EOF {
			break
		}
		if e != nil {
			return nil, 0, e
		}
	}
	if limited.N == 0 {
		err = errTooMany
	}
	slices.SortFunc(out, func(a, b mapping) int { return cmp.Compare(a.Start, b.Start) })
	return out, int(maxMapsText - limited.N), err
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

// adjoined returns the mapping of a line if this one, of no file, begins where it ends.
func (m *mapping) adjoined(line []byte) *mapping {
	if m.Path != "" && !inMemory(m.Path) {
		return nil
	}
	b, path, ok := parseMapping(line, false)
	if !ok || b.End != m.Start || b.inode == "" || len(path) > maxMapsPath {
		return nil
	}
	b.Path = string(path)
	return &b
}

// maxMapsPath bounds the path of a file that code was copied from: PATH_MAX, and a mark.
const maxMapsPath = 4<<10 + len(" (deleted)")

// inMemory reports whether a mapping's path is of memory that has no file.
func inMemory[T string | []byte](path T) bool {
	for _, prefix := range [...]string{"//anon", "/anon_hugepage", "/memfd:", "/dev/", "/SYSV"} {
		if len(path) >= len(prefix) && string(path[:len(prefix)]) == prefix {
			return true
		}
	}
	return false
}

// parseMapping parses a line, and returns false where it makes no sense, or where only code is
// wanted and it is of none. The path is a part of the line.
func parseMapping(line []byte, onlyCode bool) (m mapping, path []byte, ok bool) {
	var fields [5][]byte
	rest := bytes.TrimRight(line, "\n")
	for i := range fields {
		if len(rest) == 0 && i == len(fields)-1 {
			return m, nil, false
		}
		fields[i], rest, _ = bytes.Cut(rest, []byte{' '})
	}
	if len(fields[1]) < 3 || onlyCode && fields[1][2] != 'x' || len(fields[0]) > 40 ||
		len(fields[2]) > 20 {
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
// either. A file that is deleted while it is mapped stays the same.
func (m *mapping) key() string { return m.inode + " " + strings.TrimSuffix(m.Path, " (deleted)") }

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
