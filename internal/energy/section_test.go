package energy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/units"
)

// marked books the same slices, samples and readings twice, with and without marks, and returns
// both ledgers.
func marked(t *testing.T, r *rand.Rand, rule string) (with, without *Ledger) {
	zones := []Zone{{Name: "package-0", CPUs: []CPU{0, 1}, Idle: 2}, {Name: "dram-0",
		CPUs: []CPU{0, 1}}}
	div, err := NewRule(rule, RuleConfig{})
	if err != nil {
		t.Fatal(err)
	}
	var ledgers [2]*Ledger
	var builders [2]*Builder
	for i := range ledgers {
		l := New(zones, div, 10*ms)
		ledgers[i] = l
		builders[i] = NewBuilder(nil, func(w *Window) {
			var all time.Duration
			for _, s := range w.Sections {
				all += s.Dur
			}
			if len(w.Sections) > 0 && all != w.Dur() {
				t.Errorf("sections of %v in a window of %v", all, w.Dur())
			}
			if err := l.Book(w); err != nil {
				t.Fatal(err)
			}
			if err := l.Check(); err != nil {
				t.Error(err)
			}
		})
		builders[i].Begin(0)
	}
	clock, free := units.Instant(0), [2]units.Instant{}
	for range 40 {
		next := clock.Add(time.Duration(1+r.IntN(100)) * ms)
		for range r.IntN(6) {
			cpu := r.IntN(2)
			from := max(clock, free[cpu]).Add(time.Duration(r.IntN(30)) * ms)
			to := from.Add(time.Duration(1+r.IntN(40)) * ms)
			free[cpu] = to
			s := Slice{Thread: epochs.TID(1 + 2*r.IntN(3) + cpu), CPU: CPU(cpu), From: from, To: to,
				Frequency: 2e9}
			for _, b := range builders {
				b.Slice(s)
				b.Sample(Sample{Thread: s.Thread, At: from, Stack: StackID(1 + r.IntN(3)),
					Frequency: 2e9})
			}
		}
		for range r.IntN(4) {
			builders[0].Section(clock.Add(time.Duration(r.IntN(120))*ms), Section(r.IntN(4)))
		}
		clock = next
		used := []units.Energy{units.Energy(r.IntN(1e9)), units.Energy(r.IntN(1e6))}
		others := []Other{{CPU: 1, Time: time.Duration(r.IntN(20)) * ms}}
		for _, b := range builders {
			b.Reading(clock, used, others)
			b.Delivered(clock)
		}
	}
	for _, l := range ledgers {
		l.Finish()
	}
	return ledgers[0], ledgers[1]
}

// TestSections: marks change no total of a zone, and no thread's energy by a rule that divides by
// CPU time; the sections' totals add up to the zones', each section's own parts to its total, and
// the CPU time of a thread is what it was.
func TestSections(t *testing.T) {
	for _, rule := range append(slices.Clone(DefaultRules), Artifact) {
		t.Run(rule, func(t *testing.T) {
			r := devtest.Rand(t)
			for range 5 {
				compare(t, rule, r)
			}
		})
	}
}

// far allows for rounding: each run's part is a whole number of nJ, and marks make runs shorter.
func far(a, b units.Energy) bool { return max(a-b, b-a) > 2000 }

func compare(t *testing.T, rule string, r *rand.Rand) {
	t.Helper()
	with, without := marked(t, r, rule)
	for i := range with.Totals() {
		a, b := with.Totals()[i], without.Totals()[i]
		if a.Measured != b.Measured || far(a.Attributed, b.Attributed) || far(a.Others, b.Others) ||
			far(a.Idle, b.Idle) || far(a.Unattributed, b.Unattributed) {
			t.Errorf("%s: %+v with marks, %+v without", rule, a, b)
		}
	}
	energyOf, timeOf := map[epochs.TID]units.Energy{}, map[epochs.TID]time.Duration{}
	for _, side := range []struct {
		l    *Ledger
		sign int64
	}{{with, 1}, {without, -1}} {
		for u, e := range side.l.Entries() {
			energyOf[u.Thread] += e.Energy[0] * units.Energy(side.sign)
			timeOf[u.Thread] += e.Time * time.Duration(side.sign)
		}
	}
	for thread := range energyOf {
		if far(energyOf[thread], 0) || timeOf[thread] != 0 {
			t.Errorf("%s: thread %d differs by %d nJ and %v", rule, thread,
				energyOf[thread], timeOf[thread])
		}
	}
	sums := make([]Totals, 2)
	for s, zones := range with.BySection() {
		for i := range zones {
			z := &zones[i]
			if z.Attributed+z.Others+z.Idle+z.Unattributed != z.Measured ||
				z.Measured < 0 || z.Attributed < 0 || z.Own < 0 || z.Own > z.Others {
				t.Errorf("%s: section %d: %+v", rule, s, *z)
			}
			sums[i].Measured += z.Measured
			sums[i].Attributed += z.Attributed
			sums[i].Others += z.Others
			sums[i].Idle += z.Idle
		}
	}
	for i, all := range with.Totals() {
		if sums[i].Measured != all.Measured || sums[i].Attributed != all.Attributed ||
			sums[i].Others != all.Others || sums[i].Idle != all.Idle {
			t.Errorf("%s: the sections have %+v of %+v", rule, sums[i], all)
		}
	}
}

// TestSectionByHand: a thread runs for 60 ms of a window, 20 ms of them in section 1, which lasts
// 50 of the 100 ms; a sample at its end is of section 0 again.
func TestSectionByHand(t *testing.T) {
	rule, err := NewRule("ledger", RuleConfig{})
	if err != nil {
		t.Fatal(err)
	}
	l := New([]Zone{{Name: "package-0", CPUs: []CPU{0}, Idle: 1}}, rule, 10*ms)
	b := NewBuilder(nil, func(w *Window) {
		if err := l.Book(w); err != nil {
			t.Error(err)
		}
	})
	at := func(d time.Duration) units.Instant { return units.Instant(d) }
	b.Begin(0)
	b.Slice(Slice{Thread: 5, From: at(10 * ms), To: at(70 * ms), Frequency: 2e9})
	b.Section(at(50*ms), 1)
	b.Section(at(100*ms), 0)
	b.Sample(Sample{Thread: 5, At: at(30 * ms), Stack: 7, Frequency: 2e9})
	b.Sample(Sample{Thread: 5, At: at(50 * ms), Stack: 8, Frequency: 2e9})
	b.Reading(at(100*ms), []units.Energy{160e6}, nil)
	b.Delivered(at(100 * ms))
	l.Finish()
	// 100 mJ are idle at 1 W; 60 mJ are the thread's, 1 mJ for each ms.
	for u, want := range map[Unit]units.Energy{
		{5, 7, 2e9, 0}: 40e6, {5, 8, 2e9, 1}: 20e6,
	} {
		if e := l.Entries()[u]; e == nil || e.Energy[0] != want {
			t.Errorf("%+v: %+v, want %d", u, e, want)
		}
	}
	got := l.BySection()[1][0]
	if want := (Totals{Measured: 70e6, Attributed: 20e6, Idle: 50e6}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestNoSectionBelowNothing: eight threads compute in a window, and one of them is in a section for
// its last tenth. By no rule that section has less than nothing, whatever the rule gives twice.
func TestNoSectionBelowNothing(t *testing.T) {
	for _, name := range append(slices.Clone(DefaultRules), Artifact, Jalen2012, Chappie) {
		l := New([]Zone{{Name: "package-0", CPUs: []CPU{0, 1, 2, 3, 4, 5, 6, 7}}}, rule(t, name), 0)
		w := Window{From: 0, To: units.Instant(100 * ms), Used: []units.Energy{1e9},
			Sections: []Stay{{Section: 0, Dur: 90 * ms}, {Section: 1, Dur: 10 * ms}}}
		for i := range 8 {
			w.Runs = append(w.Runs, Run{Thread: epochs.TID(i + 1), CPU: CPU(i), Alone: 90 * ms,
				Last: w.To})
			if i == 0 {
				w.Runs = append(w.Runs, Run{Thread: 1, Alone: 10 * ms, Last: w.To, Section: 1})
			}
		}
		if err := l.Book(&w); err != nil {
			t.Fatal(err)
		}
		l.Finish()
		var sum units.Energy
		for s, zones := range l.BySection() {
			if sum += zones[0].Measured; zones[0].Measured < 0 {
				t.Errorf("%s: section %d has %+v", name, s, zones[0])
			}
		}
		if sum != 1e9 {
			t.Errorf("%s: all sections have %d nJ", name, sum)
		}
	}
}

// TestMostTurns: of ever more turns in a window some count, its time stays, and the last section is
// that of the next window.
func TestMostTurns(t *testing.T) {
	var windows []Window
	b := NewBuilder(nil, func(w *Window) {
		if len(stays(w)) > mostTurns+1 {
			t.Errorf("%d sections", len(w.Sections))
		}
		windows = append(windows, Window{From: w.From, To: w.To, Sections: stays(w)})
	})
	b.Begin(0)
	const turns = 3 * mostTurns
	for i := range turns {
		b.Section(units.Instant(time.Duration(i)*ms/turns), Section(i+1))
	}
	for i := range 2 {
		b.Reading(units.Instant(time.Duration(i+1)*ms), []units.Energy{1}, nil)
	}
	b.Delivered(units.Instant(2 * ms))
	var all time.Duration
	for _, s := range windows[0].Sections {
		all += s.Dur
	}
	if next := windows[1].Sections; all != ms || len(next) != 1 || next[0].Section != turns {
		t.Errorf("%v, then %v", all, next)
	}
}

// stays is a copy of a window's sections, which are the builder's.
func stays(w *Window) []Stay { return slices.Clone(w.Sections) }

// BenchmarkSections books a window that lies in 256 sections, with many threads, by one rule: what
// a program that marks without end has ebb do ten times a second for each rule.
func BenchmarkSections(b *testing.B) {
	for _, threads := range []int{2, 100, 1000} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			div, err := NewRule("ledger", RuleConfig{})
			if err != nil {
				b.Fatal(err)
			}
			l := New([]Zone{{Name: "package-0", CPUs: []CPU{0, 1}, Idle: 2}, {Name: "dram-0",
				CPUs: []CPU{0, 1}}}, div, 10*ms)
			builder := NewBuilder(nil, func(w *Window) {
				if err := l.Book(w); err != nil {
					b.Fatal(err)
				}
			})
			builder.Begin(0)
			clock, length := units.Instant(0), 100*ms
			for b.Loop() {
				for i := range threads {
					from := clock.Add(length * time.Duration(i) / time.Duration(threads))
					builder.Slice(Slice{Thread: epochs.TID(i + 1), CPU: CPU(i % 2), From: from,
						To: from.Add(length / time.Duration(threads)), Frequency: 2e9})
				}
				for i := range mostTurns {
					builder.Section(clock.Add(length*time.Duration(i)/mostTurns), Section(i))
				}
				clock = clock.Add(length)
				builder.Reading(clock, []units.Energy{1e9, 1e8}, nil)
				builder.Delivered(clock)
			}
		})
	}
}
