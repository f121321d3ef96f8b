package instrumented

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Bounds of what a program can make ebb keep.
const (
	maxNames    = 64
	maxOpen     = 8 // regions that are open at a time
	maxSections = 1024
)

// Region is one iteration of a region.
type Region struct {
	Name string `json:"name"`
	// Iteration counts the begins, from 1. 0 stands for several that are kept together.
	Iteration int `json:"iteration,omitempty"`
}

// Detail says how finely sections are distinguished. Each section takes memory in a ledger.
type Detail int

// The details, the finest first.
const (
	Iterations  Detail = iota
	RegionNames        // iterations are kept together
	NoRegions          // all is outside of regions
)

// Regions turns marks into sections of time: a section is all the time in which the same iterations
// of the same regions are open. Section 0 has none. It is for one goroutine, and its zero value is
// not ready: use NewRegions.
type Regions struct {
	known    map[string]*region
	open     []Region // open iterations, ordered by name
	sections [][]Region
	index    map[string]int
	last     int // number of the present section
	ignored  int
	coarse   bool
}

type region struct {
	depth     int // begins without an end
	iteration int
}

// NewRegions returns Regions of which none is open.
func NewRegions() *Regions {
	r := &Regions{known: map[string]*region{}, index: map[string]int{}}
	r.sectionOf(nil)
	return r
}

// Take takes a mark, and returns the section from then on. A begin of an open region, as by another
// thread, is a part of the same iteration, which ends with the last of their ends. Marks beyond the
// bounds and ends without a begin change nothing and are counted.
func (r *Regions) Take(m Mark, d Detail) (section int) {
	k := r.known[m.Name]
	switch {
	case m.End && (k == nil || k.depth == 0),
		!m.End && k == nil && len(r.known) >= maxNames,
		!m.End && (k == nil || k.depth == 0) && len(r.open) >= maxOpen:
		r.ignored++
		return r.last
	case m.End:
		if k.depth--; k.depth > 0 {
			return r.last
		}
		r.open = slices.DeleteFunc(r.open, func(o Region) bool { return o.Name == m.Name })
	default:
		if k == nil {
			k = &region{}
			r.known[m.Name] = k
		}
		if k.depth++; k.depth > 1 {
			return r.last
		}
		k.iteration++
		r.open = append(r.open, Region{m.Name, k.iteration})
		slices.SortFunc(r.open, func(a, b Region) int { return cmp.Compare(a.Name, b.Name) })
	}
	r.last = r.section(d)
	return r.last
}

// section returns the section of what is open, as fine as there is room for it.
func (r *Regions) section(d Detail) int {
	if len(r.open) == 0 {
		return 0
	}
	if d == Iterations {
		if i, ok := r.find(r.open, maxSections); ok {
			return i
		}
	}
	r.coarse = true
	if d != NoRegions {
		together := slices.Clone(r.open)
		for i := range together {
			together[i].Iteration = 0
		}
		if i, ok := r.find(together, 2*maxSections); ok {
			return i
		}
	}
	r.ignored++
	return 0
}

// find looks a section up, and makes it where there is room.
func (r *Regions) find(open []Region, most int) (int, bool) {
	if i, ok := r.index[keyOf(open)]; ok {
		return i, true
	}
	if len(r.sections) >= most {
		return 0, false
	}
	return r.sectionOf(open), true
}

func (r *Regions) sectionOf(open []Region) int {
	r.index[keyOf(open)] = len(r.sections)
	r.sections = append(r.sections, slices.Clone(open))
	return len(r.sections) - 1
}

// keyOf returns a key that cannot confuse two lists: no name has a number sign.
func keyOf(open []Region) string {
	var b strings.Builder
	for _, o := range open {
		fmt.Fprintf(&b, "%s#%d#", o.Name, o.Iteration)
	}
	return b.String()
}

// Sections returns the iterations that are open in each section.
func (r *Regions) Sections() [][]Region { return r.sections }

// Ignored returns the number of marks without effect; coarse reports whether iterations were kept
// together.
func (r *Regions) Ignored() (marks int, coarse bool) { return r.ignored, r.coarse }
