package energy

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// TestEquations7to9 has an example made by hand. In a cycle of 500 ms the process uses 10 J; a
// thread has 200 ms of CPU time. Its methods run for 300 and 100 ms of wall time.
//
//	(7)  200 ms * 10 J / 500 ms = 4 J
//	(8)  300 ms * 200 ms / 400 ms = 150 ms; 100 ms * 200 ms / 400 ms = 50 ms
//	(9)  150 ms * 4 J / 300 ms = 2 J; 50 ms * 4 J / 100 ms = 2 J
//
// The method that ran three times as long gets the same, because equation 9 divides by what
// equation 8 multiplied by. Conserving, they would have 3 J and 1 J.
func TestEquations7to9(t *testing.T) {
	e := threadEnergy(200*ms, 10*joule, 500*ms)
	if e != 4*joule {
		t.Fatalf("equation 7: %v, want 4 J", e)
	}
	for duration, want := range map[time.Duration]time.Duration{
		300 * ms: 150 * ms, 100 * ms: 50 * ms,
	} {
		cpu := methodTime(duration, 200*ms, 400*ms)
		if time.Duration(cpu) != want {
			t.Errorf("equation 8: %v ns, want %v", cpu, want)
		}
		if got := methodEnergy(cpu, e, duration); got != 2*joule {
			t.Errorf("equation 9 of %v: %v, want 2 J", duration, got)
		}
	}
	if threadEnergy(ms, joule, 0)+methodEnergy(methodTime(ms, ms, 0), joule, 0) != 0 {
		t.Error("a cycle or a method of no length has energy")
	}
}

// TestJalen2012 books the example: a window of 500 ms, 20 J of which the process has 10 by CPU
// time. Thread 1 has 200 ms, in two methods as 3 : 1, the first with two call stacks; thread 2 has
// 500 ms in one. By equation 7 they have 4 and 10 J, by 8 and 9 the methods have 4, 4 and 10 J. The
// ledger still adds up: what is given more than once is below zero.
func TestJalen2012(t *testing.T) {
	w := Window{To: units.Instant(500 * ms), Used: []units.Energy{20 * joule},
		Runs: []Run{
			{Thread: 1, CPU: 0, Alone: 200 * ms}, {Thread: 2, CPU: 1, Alone: 500 * ms},
			{Thread: 3, CPU: 1, Alone: 0},
		},
		Others: []Other{{CPU: 2, Time: 700 * ms}}}
	for _, stack := range []StackID{1, 1, 2, 3} {
		w.Samples = append(w.Samples, Sample{Thread: 1, Stack: stack})
	}
	w.Samples = append(w.Samples, Sample{Thread: 2, Stack: 1})
	l := New([]Zone{{Name: "package-0", CPUs: []CPU{0, 1, 2}}}, rule(t, Jalen2012), 0)
	if err := l.Book(&w); err != nil {
		t.Fatal(err)
	}
	l.Finish()
	check := func(rest units.Energy, of map[Unit]units.Energy) {
		t.Helper()
		if err := l.Check(); err != nil {
			t.Error(err)
		}
		tot := l.Totals()[0]
		if tot.Others != 10*joule || tot.Unattributed != rest {
			t.Errorf("%+v, want %v unattributed", tot, rest)
		}
		for u, want := range of {
			if got := l.Entries()[u].Energy[0]; got != want {
				t.Errorf("%+v has %v, want %v", u, got, want)
			}
		}
	}
	check(-4*joule, map[Unit]units.Energy{{Thread: 1, Stack: 1}: 2 * joule,
		{Thread: 1, Stack: 2}: joule, {Thread: 1, Stack: 3}: joule,
		{Thread: 2, Stack: 1}: 10 * joule})
	methods := map[StackID]string{1: "a", 2: "a", 3: "b"}
	l.PerMethod(func(u Unit) string { return methods[u.Stack] })
	// a's 4 J are divided over its two stacks by their time, as 2 : 1
	check(-8*joule, map[Unit]units.Energy{{Thread: 1, Stack: 1}: 2_666_666_667,
		{Thread: 1, Stack: 2}: 1_333_333_333, {Thread: 1, Stack: 3}: 4 * joule,
		{Thread: 2, Stack: 1}: 10 * joule})
}

// TestPerMethodLeavesOthers: another rule's ledger stays as it is.
func TestPerMethodLeavesOthers(t *testing.T) {
	l := New([]Zone{{Name: "z", CPUs: []CPU{0}}}, rule(t, Jalen), 0)
	w := Window{To: 10, Used: []units.Energy{90}, Runs: []Run{{Thread: 1, Alone: 10}},
		Samples: []Sample{{Thread: 1, Stack: 1}, {Thread: 1, Stack: 2}}}
	if err := l.Book(&w); err != nil {
		t.Fatal(err)
	}
	l.Finish()
	l.PerMethod(func(Unit) string { t.Error("asked for a name"); return "" })
	if got := l.Entries()[Unit{Thread: 1, Stack: 1}].Energy[0]; got != 45 {
		t.Errorf("%v, want 45 nJ", got)
	}
}
