package profile

import (
	"slices"
	"testing"
)

// TestWithoutSpinning: the share of each library, the largest first, with its setting; a share that
// nobody notices is left out, and an interrupt in between does not hide that a thread waits.
func TestWithoutSpinning(t *testing.T) {
	p := &Profile{Rules: []string{"ledger"}, Threads: []Thread{{Phase: Application}},
		Frames: []Frame{
			{Name: "[spins in libgomp]", Module: "libgomp.so.1", Kind: "native"},
			{Name: "[spins in server]", Module: "server", Kind: "native"},
			{Name: "[spins in libomp]", Module: "libomp.so.5", Kind: "native"},
			{Name: "work", Module: "server", Kind: "native"},
			{Name: "irq", Module: "[kernel]", Kind: "kernel"},
		},
		Stacks: []Stack{
			{Frames: []int{1}, EnergyNJ: []int64{100}},
			{Frames: []int{4, 0, 3}, EnergyNJ: []int64{400}},
			{Frames: []int{2}, EnergyNJ: []int64{1}},
			{Frames: []int{3, 0}, EnergyNJ: []int64{499}},
			{EnergyNJ: []int64{0}},
		}}
	want := []string{
		"OMP_WAIT_POLICY=passive: 40.0 % of the energy is threads that wait by spinning in libgomp",
		"a wait that sleeps, such as futex: 10.0 % of the energy is threads that wait by " +
			"spinning in server",
	}
	if got := p.WithoutSpinning(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	v := View{by: "method", profile: p}
	if got := v.unit(&p.Stacks[0]); got != "[spins in server]" {
		t.Errorf("the unit is %q", got)
	}
	if got := v.unit(&p.Stacks[1]); got != "work" {
		t.Errorf("a thread of the program's that waits is booked to %q", got)
	}
	p.Stacks = nil
	if got := p.WithoutSpinning(); len(got) != 0 {
		t.Errorf("without stacks: %q", got)
	}
}
