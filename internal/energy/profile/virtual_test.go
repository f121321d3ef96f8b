package profile

import (
	"slices"
	"testing"
)

// TestVirtual: the energy of code inside a continuation is that of virtual threads; that of the
// thread that carries them is not, and neither is that of a method of the same name elsewhere.
func TestVirtual(t *testing.T) {
	p := &Profile{Frames: []Frame{
		{Name: "app.Main.work", Module: "[java]", Kind: "jit"},
		{Name: "jdk.internal.vm.Continuation.run", Module: "[java]", Kind: "jit"},
		{Name: "java.lang.VirtualThread.runContinuation", Module: "[java]", Kind: "jit"},
		{Name: "asm_sysvec_apic_timer_interrupt", Module: "[kernel]", Kind: "kernel"},
		{Name: "jdk.internal.vm.Continuation.run", Module: "a.out", Kind: "native"},
	}}
	p.Threads, p.Rules = []Thread{{Phase: Application}}, []string{"time"}
	for what, c := range map[string]struct {
		stacks []Stack
		nj     []int64
		want   []string
	}{
		"a quarter": {[]Stack{{Frames: []int{0, 1, 2}, EnergyNJ: []int64{25}},
			{Frames: []int{0, 2}, EnergyNJ: []int64{75}}}, []int64{25},
			[]string{"25.0 % of the energy is used by virtual threads of Java: the line of a " +
				"thread that carries them has that of all that it carried"}},
		"mounting": {[]Stack{{Frames: []int{1, 2}, EnergyNJ: []int64{5}}}, nil, nil},
		"interrupted while mounting": {[]Stack{{Frames: []int{3, 1, 2},
			EnergyNJ: []int64{5}}}, nil, nil},
		"a function of that name": {[]Stack{{Frames: []int{0, 4}, EnergyNJ: []int64{5}}}, nil, nil},
		"a thousandth": {[]Stack{{Frames: []int{0, 1}, EnergyNJ: []int64{1}},
			{Frames: []int{0}, EnergyNJ: []int64{999}}}, []int64{1}, nil},
		"nothing": {},
	} {
		p.Stacks = c.stacks
		if got := p.WithoutNames(0); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
		if p.FindVirtual(); !slices.Equal(p.VirtualNJ, c.nj) {
			t.Errorf("%s: %d nJ, want %d", what, p.VirtualNJ, c.nj)
		}
	}
}
