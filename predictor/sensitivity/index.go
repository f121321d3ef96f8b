package sensitivity

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// Index finds a table's functions by their places, and its methods by their names.
type Index struct {
	files   map[string][]piece
	methods map[Method]int32
}

// Method names a method of Java. It is the same in every run, and in every build of its class.
type Method struct{ Class, Name, Signature string }

// piece is a range with its function's number.
type piece struct {
	start, end uint64
	function   int32
}

// Index makes the index of a table that Read has returned.
func (t *Table) Index() *Index {
	x := &Index{files: map[string][]piece{}, methods: map[Method]int32{}}
	for i := range t.Functions {
		f := &t.Functions[i]
		if f.Class != "" {
			x.methods[f.method()] = int32(i)
		}
		for _, r := range f.Ranges {
			x.files[f.BuildID] = append(x.files[f.BuildID], piece{r.Start, r.End, int32(i)})
		}
	}
	for _, list := range x.files {
		slices.SortFunc(list, func(a, b piece) int { return cmp.Compare(a.start, b.start) })
	}
	return x
}

func (f *Function) method() Method { return Method{f.Class, f.Name, f.Signature} }

// apart checks that no two ranges of a file overlap, and that no method is there twice.
func (t *Table) apart() error {
	x := t.Index()
	for id, list := range x.files {
		for i := range list[1:] {
			if list[i].end > list[i+1].start {
				return fmt.Errorf("two functions of %.20q at %#x", id, list[i+1].start)
			}
		}
	}
	for i := range t.Functions {
		f := &t.Functions[i]
		if f.Class != "" && x.methods[f.method()] != int32(i) {
			return fmt.Errorf("two methods %.60q of class %.60q", f.Name, f.Class)
		}
	}
	return nil
}

// Has reports whether the table has functions of the file with a build id.
func (x *Index) Has(buildID string) bool { return len(x.files[buildID]) > 0 }

// Find returns the number of the function at an address of a file, in the file's own numbering.
func (x *Index) Find(buildID string, addr uint64) (function int32, ok bool) {
	list := x.files[buildID]
	i := sort.Search(len(list), func(i int) bool { return list[i].start > addr })
	if i == 0 || addr >= list[i-1].end {
		return -1, false
	}
	return list[i-1].function, true
}

// Method returns the number of a method.
func (x *Index) Method(m Method) (function int32, ok bool) {
	function, ok = x.methods[m]
	return function, ok
}

// Shares returns the functions' shares that a run uses, by their numbers.
func (t *Table) Shares() []float64 {
	out := make([]float64, len(t.Functions))
	for i := range t.Functions {
		out[i] = t.Functions[i].Low
	}
	return out
}
