package profile

import (
	"slices"
	"testing"
)

// TestVirtual: the energy of code inside a continuation is that of virtual threads; that of the
// thread that carries them is not, and neither is that of a method of the same name elsewhere.
func TestVirtual(t *testing.T) {
	p := &Profile{RateHz: 99, Frames: []Frame{
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

// TestCanCarry: a report without samples says that virtual threads have lines with them, where a
// noticeable part of the time is of threads that can have carried some.
func TestCanCarry(t *testing.T) {
	for comm, of := range map[string]map[int64]bool{"ForkJoinPool-1-": {1: false, 100: true},
		"ForkJoinPool.co": {100: false}, "main": {100: false}} {
		for run, want := range of {
			p := &Profile{Rules: []string{"time"}, Threads: []Thread{
				{Comm: comm, Phase: Application, RunNS: run},
				{Comm: "main", Phase: Application, RunNS: 1000}}}
			if got := p.WithoutNames(0); (len(got) == 1) != want {
				t.Errorf("%s with %d of %d ns: %q", comm, run, 1000+run, got)
			}
		}
	}
}

// mounted is a profile with two carriers: the first ran as two virtual threads, unknown ones and
// itself, the second as one of them and as one without a name.
func mounted() *Profile {
	p := &Profile{RateHz: 99, Rules: []string{"time"}, Frames: []Frame{{Name: "a.B.c",
		Module: "[java]", Kind: "jit"}},
		Threads: []Thread{{TID: 8, PID: 7, Comm: "worker-1", Phase: Application, RunNS: 1000},
			{TID: 9, PID: 7, Comm: "worker-2", Phase: Application, RunNS: 500},
			{TID: 7, PID: 7, Comm: "main", Phase: Application, RunNS: 100}},
		VirtualThreads: []VirtualThread{{ID: 30, PID: 7, Name: "one"},
			{ID: 31, PID: 7, Name: "two"}, {PID: 7}, {ID: 32, PID: 7}, {More: true}}}
	for _, x := range [][3]int{{0, 1, 400}, {0, 2, 300}, {0, 3, 200}, {0, 0, 100}, {1, 1, 200},
		{1, 4, 200}, {1, 5, 100}, {2, 0, 100}} {
		p.Stacks = append(p.Stacks, Stack{Thread: x[0], Virtual: x[1], Frames: []int{0},
			Samples: x[2] / 10, CPUNS: int64(x[2]), EnergyNJ: []int64{int64(x[2])},
			Squares: float64(10 * x[2])})
	}
	return p
}

// TestVirtualRows: by thread each virtual thread has a row, over all that carried it, and a carrier
// has the rest. Which was mounted is sampled, so such rows have intervals; others are exact.
func TestVirtualRows(t *testing.T) {
	p := mounted()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"one (virtual thread 30)": 600, "two (virtual thread 31)": 300,
		"(virtual threads, not known which)": 200, "(virtual thread 32)": 200,
		"(more virtual threads)": 100, "worker-1 (8)": 100, "main (7)": 100}
	rows := p.Rows(view(t, p, "thread"), 0)
	for _, r := range rows {
		if r.Energy != want[r.Unit] || (r.Low == r.High) != (r.Unit == "main (7)") {
			t.Errorf("%s: %d, %v to %v, want %d", r.Unit, r.Energy, r.Low, r.High, want[r.Unit])
		}
	}
	if len(rows) != len(want) {
		t.Errorf("%d rows, want %d", len(rows), len(want))
	}
	for _, r := range p.Rows(view(t, p, "pid"), 0) {
		if r.Low != r.High || r.Energy != 1600 {
			t.Errorf("by pid: %+v", r)
		}
	}
	said := []string{"87.5 % of the energy is used by virtual threads of Java, which have lines " +
		"of their own by thread; of 12.5 % it is not known by which"}
	if got := p.virtual(0); !slices.Equal(got, said) {
		t.Errorf("%q, want %q", got, said)
	}
	p.VirtualThreads[3].PID = 70
	if got := p.VirtualUnits()[0]; got != "one (virtual thread 30 of 7)" {
		t.Errorf("of two processes: %q", got)
	}
	for _, wrong := range []int{-1, 6} {
		p.Stacks[0].Virtual = wrong
		if p.Check() == nil {
			t.Errorf("the virtual thread %d is accepted", wrong)
		}
	}
}

// TestVirtualBounded: stacks of different virtual threads stay apart in a report that is shortened,
// and in one that is cut to regions.
func TestVirtualBounded(t *testing.T) {
	p := mounted()
	all := map[int]bool{}
	for i := range p.Stacks {
		p.Stacks[i].Frames = slices.Repeat([]int{0}, 100)
	}
	p.Bound(p.fixedBytes() + 2000)
	before := len(p.Stacks)
	p.Stacks = merged(p.Stacks, map[int]bool{0: true})
	for i := range p.Stacks {
		all[p.Stacks[i].Virtual] = true
	}
	if len(all) != 6 || before != 8 || len(p.Stacks) != 8 {
		t.Errorf("%d of 6 are left, in %d stacks, then %d", len(all), before, len(p.Stacks))
	}
}
