package attribution

import (
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/internal/stacks"
)

// TestReturnsFromBreakpoints: a sample at the instruction behind a breakpoint counts as the
// kernel's return from it, once it is known where the kernel is entered. A system call from a like
// place is outvoted, and other samples stay as they are.
func TestReturnsFromBreakpoints(t *testing.T) {
	b := breakpoints{resumes: map[uint64]bool{0x105: true}}
	look := func(pc uint64, kernel ...uint64) []uint64 {
		return b.kernel(&stacks.Sample{Kernel: kernel, Registers: stacks.Registers{place: pc}})
	}
	for i, c := range []struct {
		pc           uint64
		kernel, want []uint64
	}{
		{0x5555_0105, nil, nil}, // nothing is known yet
		{0x7777_0105, []uint64{1, 99}, []uint64{1, 99}},
		{0x5555_0105, []uint64{1, 2, 7}, []uint64{1, 2, 7}},
		{0x5555_0105, []uint64{3, 7}, []uint64{3, 7}},
		{0x5555_0105, nil, []uint64{7}},
		{0x6666_0105, nil, nil}, // other code, at a like place
		{0x5555_0106, nil, nil},
		{0x5555_0106, []uint64{4, 5}, []uint64{4, 5}},
	} {
		if got := look(c.pc, c.kernel...); !slices.Equal(got, c.want) {
			t.Errorf("%d: %v, want %v", i, got, c.want)
		}
	}
}
