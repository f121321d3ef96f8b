package symbols

import (
	"sort"
	"unicode/utf8"
)

const (
	// maxBeside bounds the functions that are skipped on either side in the search for a name.
	// Names farther away say nothing.
	maxBeside = 256
	// maxNeighbour bounds a neighbour's name, in bytes.
	maxNeighbour = 96
)

// beside describes between which named functions of a file an address lies. It returns "" where
// neither side has one. A compiler keeps a source file's functions together, so these names show
// what the code is about. They do not show which function it is.
func (t *table) beside(addr uint64) string {
	behind := sort.Search(len(t.spans), func(i int) bool { return t.spans[i].start > addr })
	name := func(i int) string {
		s := &t.spans[i]
		if s.source == unnamed {
			return ""
		}
		if _, stub := t.sources[s.source].(stubNames); stub {
			return "" // a stub is no neighbour: all stubs lie together
		}
		return shortened(printable(demangled(t.sources[s.source].name(s.name))))
	}
	var before, after string
	for i := behind - 1; i >= max(0, behind-maxBeside) && before == ""; i-- {
		before = name(i)
	}
	for i := behind; i < min(len(t.spans), behind+maxBeside) && after == ""; i++ {
		after = name(i)
	}
	switch {
	case before != "" && after != "":
		return "between " + before + " and " + after
	case before != "":
		return "behind " + before
	case after != "":
		return "before " + after
	}
	return ""
}

// shortened cuts a neighbour's name to maxNeighbour bytes, between two characters.
func shortened(name string) string {
	if len(name) <= maxNeighbour {
		return name
	}
	n := maxNeighbour - len("…")
	for n > 0 && !utf8.RuneStart(name[n]) {
		n--
	}
	return name[:n] + "…"
}
