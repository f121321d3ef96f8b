package nonscaling

import (
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/hpc"
)

// Columns are the names of the counters in a Row's Values, in order.
type Columns []string

// Index returns the place of the named column, or of the first of "a|b|c" that is there; -1 for
// none.
func (c Columns) Index(names string) int {
	for n := range strings.SplitSeq(names, "|") {
		if i := slices.Index(c, n); i >= 0 {
			return i
		}
	}
	return -1
}

// String lists the names.
func (c Columns) String() string {
	if len(c) == 0 {
		return "none"
	}
	return strings.Join(c, ", ")
}

// Counts are the columns of the instructions retired and of the lines read from memory; -1 where
// they are not counted.
type Counts struct{ Instructions, Reads int }

// CountsOf returns the columns of c that hold these counts.
func CountsOf(c Columns) Counts {
	return Counts{c.Index(hpc.Instructions + "|" + hpc.Insts), c.Index(hpc.DRAMReads)}
}
