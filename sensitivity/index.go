package sensitivity

import "sort"

// Index finds a table's functions by their places.
type Index struct{ files map[string][]piece }

// Index makes the index of a table that Read has returned.
func (t *Table) Index() *Index { return &Index{files: t.index()} }

// Has reports whether the table has functions of the file with a build id.
func (x *Index) Has(buildID string) bool { return len(x.files[buildID]) > 0 }

// Find is the number of the function at an address of a file, in the file's own numbering.
func (x *Index) Find(buildID string, addr uint64) (function int32, ok bool) {
	list := x.files[buildID]
	i := sort.Search(len(list), func(i int) bool { return list[i].start > addr })
	if i == 0 || addr >= list[i-1].end {
		return -1, false
	}
	return list[i-1].function, true
}

// Shares are the functions' shares that a run uses, by their numbers.
func (t *Table) Shares() []float64 {
	out := make([]float64, len(t.Functions))
	for i := range t.Functions {
		out[i] = t.Functions[i].Low
	}
	return out
}
