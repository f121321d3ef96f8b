package attribution

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks"
	"github.com/ebb-energy/ebb/units"
)

const ms = time.Millisecond

// queue is a sampler with samples by hand.
type queue struct {
	waiting []stacks.Sample
	taken   uint64
	every   []time.Duration
}

func (q *queue) Drain(take func(*stacks.Sample) bool) error {
	for len(q.waiting) > 0 {
		q.taken++
		s := q.waiting[0]
		if q.waiting = q.waiting[1:]; !take(&s) {
			return nil
		}
	}
	return nil
}

func (q *queue) Shallow() (uint64, error) { return 0, nil }

func (q *queue) Counts() (taken, lost uint64, err error) { return q.taken, 0, nil }

// steady is a meter that counts one watt.
type steady struct{ last units.Instant }

func (*steady) Model() string { return "" }

func (*steady) Zones() []energy.Zone {
	return []energy.Zone{{Name: "package-0", CPUs: []energy.CPU{0}, Source: energy.Measured}}
}

func (s *steady) Cut(at units.Instant) []units.Energy {
	d := at.Sub(s.last)
	s.last = at
	return []units.Energy{units.Power(1).For(d)}
}

func (*steady) Fill(*energy.Window) {}

// script is a collector, its samples and what it observes.
type script struct {
	t *testing.T
	*Attributor
	*queue
	reader *reader
}

func newScript(t *testing.T, warmUp time.Duration) *script {
	rule, err := energy.NewRule("cpu-time", energy.RuleConfig{})
	if err != nil {
		t.Fatal(err)
	}
	q, r := &queue{}, newReader()
	stat := filepath.Join(t.TempDir(), "stat")
	if err := os.WriteFile(stat, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	c := New(Config{Rate: 10, Meter: &steady{}, Rules: []energy.Rule{rule}, Sampler: q,
		Stat: stat, Reader: r, WarmUp: warmUp})
	s := &script{t, c, q, r}
	c.Observe(&governor.Event{Kind: governor.Begin, At: at(0), Frequency: 2e9}, nil)
	return s
}

// at is a time of the script. A slice that began at zero is one of which that is not known.
func at(d time.Duration) units.Instant { return units.Instant(time.Second + d) }

func (s *script) sched(ev epochs.Event) {
	s.Observe(&governor.Event{Kind: governor.Sched, At: ev.At, Sched: ev}, nil)
}

// runs is a slice of a thread on CPU 0, with a sample in its middle.
func (s *script) runs(t epochs.TID, from, to time.Duration, cause epochs.Cause, sampled bool) {
	if sampled {
		s.waiting = append(s.waiting,
			stacks.Sample{At: at((from + to) / 2), Thread: t, PID: 999999999,
				User: []uint64{uint64(t)}})
	}
	s.sched(epochs.Event{Kind: epochs.Off, Thread: t, From: at(from), At: at(to), Cause: cause})
}

func over(d time.Duration) *governor.Event { return &governor.Event{Kind: governor.End, At: at(d)} }

func (s *script) tick(d time.Duration) { s.sched(epochs.Event{Kind: epochs.Tick, At: at(d)}) }

func (s *script) finish(d time.Duration, named ...Named) *profile.Profile {
	s.t.Helper()
	s.Observe(over(d), nil)
	s.AwaitStacks(s.t.Context(), func() units.Instant { return at(d) })
	p, err := s.Finish(s.t.Context(), named, nil, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		s.t.Error(err)
	}
	return p
}

// byName is each thread's energy.
func byName(p *profile.Profile) map[string]int64 {
	out := map[string]int64{}
	for i := range p.Stacks {
		out[p.Threads[p.Stacks[i].Thread].Comm] += p.Stacks[i].EnergyNJ[0]
	}
	return out
}

// TestReusedID: a thread gets the id of one that has ended, in the same window or later, its
// creation reported or lost. Each has the energy that it used, and its name.
func TestReusedID(t *testing.T) {
	for _, tc := range []struct {
		name   string
		second time.Duration // when it begins
		forked bool
	}{
		{"in a later window", 150 * ms, true},
		{"in the same window", 60 * ms, true},
		{"its creation lost", 150 * ms, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScript(t, 0)
			s.runs(7, 0, 40*ms, epochs.Preempted, true)
			s.sched(epochs.Event{Kind: epochs.Exit, Thread: 7, At: at(45 * ms)})
			s.runs(7, 40*ms, 50*ms, epochs.Exited, false)
			if tc.second > 100*ms {
				s.tick(120 * ms)
			}
			if tc.forked {
				s.sched(epochs.Event{Kind: epochs.Fork, Thread: 7, By: 1, At: at(tc.second)})
			}
			s.runs(7, tc.second, tc.second+30*ms, epochs.Preempted, true)
			s.tick(250 * ms)
			p := s.finish(300*ms, Named{TID: 7, PID: 7, Comm: "second"},
				Named{TID: 7, PID: 7, Comm: "first", Ended: at(50 * ms)})
			if len(p.Threads) != 2 || p.Threads[0].TID != 7 || p.Threads[1].TID != 7 {
				t.Fatalf("threads: %+v", p.Threads)
			}
			if a, b := p.Threads[0], p.Threads[1]; a.Comm != "first" || b.Comm != "second" ||
				a.RunNS != int64(50*ms) || b.RunNS != int64(30*ms) {
				t.Errorf("threads: %+v", p.Threads)
			}
			// A window's energy is divided over what ran in it.
			first, second := int64(120*ms), int64(130*ms)
			if tc.second < 100*ms {
				first, second = 156250000, 93750000
			}
			if got := byName(p); got["first"] != first || got["second"] != second {
				t.Errorf("energy: %v, want %d and %d", got, first, second)
			}
		})
	}
}

// TestStays: a thread that leaves the target's cgroup and comes back is one thread with one stack,
// unlike the one that had its id before.
func TestStays(t *testing.T) {
	s := newScript(t, 0)
	s.runs(7, 0, 20*ms, epochs.Exited, true)
	s.tick(100 * ms)
	s.sched(epochs.Event{Kind: epochs.Fork, Thread: 7, By: 1, At: at(105 * ms)})
	s.runs(7, 110*ms, 130*ms, epochs.Exited, true) // it leaves
	s.tick(200 * ms)
	s.runs(7, 230*ms, 270*ms, epochs.Preempted, true)
	s.tick(300 * ms)
	p := s.finish(300*ms, Named{TID: 7, PID: 7, Comm: "other", Ended: at(20 * ms), Created: 1},
		Named{TID: 7, PID: 7, Comm: "mover", Ended: at(131 * ms), Created: at(105 * ms)},
		Named{TID: 7, PID: 7, Comm: "moved", Created: at(105 * ms)})
	if len(p.Threads) != 2 || p.Threads[0].Comm != "other" || p.Threads[1].Comm != "moved" ||
		p.Threads[1].RunNS != int64(60*ms) || p.Threads[1].PID != 7 {
		t.Fatalf("threads: %+v", p.Threads)
	}
	if len(p.Stacks) != 2 || p.Stacks[1].Thread != 1 || p.Stacks[1].Samples != 2 ||
		p.Stacks[1].EnergyNJ[0] != int64(200*ms) {
		t.Fatalf("stacks: %+v", p.Stacks)
	}
	if by := p.Stacks[1].ByFrequency; len(by) != 1 || by[0].Samples != 2 ||
		by[0].EnergyNJ[0] != int64(200*ms) {
		t.Errorf("by frequency: %+v", by)
	}
}

// TestWarmUp: energy and samples from before its end are not in the profile; a thread that ran
// across has what it ran after.
func TestWarmUp(t *testing.T) {
	s := newScript(t, 95*ms)
	s.runs(7, 0, 50*ms, epochs.Preempted, true)
	s.runs(8, 50*ms, 60*ms, epochs.Exited, true)
	s.tick(100 * ms) // here it begins
	s.runs(9, 80*ms, 140*ms, epochs.Preempted, true)
	s.runs(7, 140*ms, 180*ms, epochs.Preempted, true)
	s.tick(200 * ms)
	p := s.finish(200*ms, Named{TID: 7, Comm: "seven"},
		Named{TID: 8, Comm: "eight", Ended: at(60 * ms)}, Named{TID: 9, Comm: "nine"})
	if got := byName(p); len(got) != 2 || got["seven"] != int64(50*ms) ||
		got["nine"] != int64(50*ms) {
		t.Errorf("energy: %v", got)
	}
	if len(p.Threads) != 2 || p.Threads[0].RunNS != int64(40*ms) ||
		p.Threads[1].RunNS != int64(40*ms) || p.WallNS != int64(100*ms) || p.Taken != 2 {
		t.Errorf("%+v, %d ns, %d samples", p.Threads, p.WallNS, p.Taken)
	}
}

// TestShorterThanWarmUp: the profile is empty, adds up and says why.
func TestShorterThanWarmUp(t *testing.T) {
	s := newScript(t, time.Second)
	s.runs(7, 0, 50*ms, epochs.Exited, true)
	p := s.finish(60*ms, Named{TID: 7, Comm: "seven", Ended: at(50 * ms)})
	if len(p.Stacks) != 0 || p.Taken != 0 || len(p.Problems) != 1 ||
		!strings.Contains(p.Problems[0], "within its first 1s") {
		t.Errorf("%+v", p)
	}
}

// TestEndedThread: what a thread without a sample used is its own, and not that of the next with
// its id.
func TestEndedThread(t *testing.T) {
	s := newScript(t, 0)
	s.runs(7, 0, 50*ms, epochs.Exited, false)
	s.tick(100 * ms)
	if got := s.ledgers[0].Totals()[0]; got.Unattributed != 0 ||
		got.Attributed != units.Energy(100*ms) {
		t.Errorf("a window after its end: %+v", got)
	}
	s.sched(epochs.Event{Kind: epochs.Fork, Thread: 7, At: at(110 * ms)})
	s.runs(7, 110*ms, 160*ms, epochs.OtherSleep, true)
	s.tick(200 * ms)
	p := s.finish(200*ms, Named{TID: 7, Comm: "first", Ended: at(50 * ms)},
		Named{TID: 7, Comm: "second"})
	if got := byName(p); got["first"] != int64(100*ms) || got["second"] != int64(100*ms) {
		t.Errorf("energy: %v", got)
	}
}

// TestLives: an id has one owner at a time, also where an exit takes several slices.
func TestLives(t *testing.T) {
	l := newLives()
	if l.at(5, 10) != 5 || l.ran(5, 10, 10) != 5 {
		t.Error("an id that nobody had before")
	}
	l.created(5, 10) // no end was seen: the two cannot be distinguished
	if l.at(5, 20) != 5 {
		t.Error("two lives at once")
	}
	if id := l.ended(5, 30); id != 5 {
		t.Errorf("%d ended, not 5", id)
	}
	if l.ran(5, 25, 25) != 5 {
		t.Error("a slice of before the end")
	}
	l.created(5, 40)
	second := l.ran(5, 41, 41)
	if second == 5 || l.number(second) != 5 || l.at(5, 35) != 5 || l.at(5, 40) != second {
		t.Errorf("the second is %d", second)
	}
	if id := l.ended(5, 50); id != second {
		t.Errorf("%d ended, not %d", id, second)
	}
	third := l.ran(5, 60, 60)
	if third == second || third == 5 || l.at(5, 45) != second || l.at(5, 60) != third ||
		l.number(third) != 5 {
		t.Errorf("the third is %d", third)
	}
}

// TestByFrequency: what a stack used at each frequency adds up to what it used.
func TestByFrequency(t *testing.T) {
	s := newScript(t, 0)
	s.runs(7, 0, 100*ms, epochs.Preempted, true)
	s.tick(100 * ms)
	s.Observe(&governor.Event{Kind: governor.Applied, At: at(100 * ms), Frequency: 1e9}, nil)
	s.runs(7, 100*ms, 200*ms, epochs.Preempted, true)
	s.tick(200 * ms)
	s.runs(7, 200*ms, 300*ms, epochs.Preempted, true)
	s.tick(300 * ms)
	p := s.finish(300*ms, Named{TID: 7, Comm: "only"})
	if len(p.Stacks) != 1 || p.Stacks[0].Samples != 3 || p.Stacks[0].EnergyNJ[0] != int64(300*ms) {
		t.Fatalf("stacks: %+v", p.Stacks)
	}
	by := p.Stacks[0].ByFrequency
	if len(by) != 2 || by[0].FreqHz != 1e9 || by[0].Samples != 2 ||
		by[0].EnergyNJ[0] != int64(200*ms) || by[1].FreqHz != 2e9 || by[1].Samples != 1 ||
		by[1].EnergyNJ[0] != int64(100*ms) {
		t.Errorf("by frequency: %+v", by)
	}
}

// TestClockWithinASlice: the clock changes while a thread runs, and its slice is reported after
// that. Each part has its own clock, and so has a sample.
func TestClockWithinASlice(t *testing.T) {
	var runs []energy.Run
	var samples []energy.Sample
	s := newScript(t, 0)
	s.builder = energy.NewBuilder(nil, func(w *energy.Window) {
		runs = append(runs, w.Runs...)
		samples = append(samples, w.Samples...)
	})
	s.builder.Begin(at(0))
	for _, c := range []struct {
		at time.Duration
		f  units.Frequency
	}{{30 * ms, 1e9}, {60 * ms, 3e9}} {
		s.Observe(&governor.Event{Kind: governor.Applied, At: at(c.at), Frequency: c.f}, nil)
	}
	s.runs(7, 10*ms, 80*ms, epochs.Preempted, true)
	s.tick(100 * ms)
	want := map[units.Frequency]time.Duration{2e9: 20 * ms, 1e9: 30 * ms, 3e9: 20 * ms}
	if len(runs) != len(want) {
		t.Fatalf("runs: %+v", runs)
	}
	for _, r := range runs {
		if r.Time() != want[r.Frequency] {
			t.Errorf("%v at %v, not %v", r.Time(), r.Frequency, want[r.Frequency])
		}
	}
	if len(samples) != 1 || samples[0].Frequency != 1e9 { // at 45 ms
		t.Errorf("samples: %+v", samples)
	}
}

// TestExec: what a process did before it executed another program is not named by that, nor what an
// earlier process of its id did. A program that was gone before a sample of it was taken has no
// names.
func TestExec(t *testing.T) {
	const self, pc = 40, 0x1234
	s := newScript(t, 0)
	look := func(d time.Duration) {
		s.waiting = append(s.waiting,
			stacks.Sample{At: at(d), Thread: self, PID: self, User: []uint64{pc}})
		s.sched(epochs.Event{Kind: epochs.Slice, Thread: self, From: at(d - ms), At: at(d + ms)})
	}
	s.reader.name = func(a protocol.Address) protocol.Frame {
		if pid, bound := s.reader.pids[a.Image]; !bound || pid != self || a.Addr != pc {
			return protocol.Frame{Name: "[unknown]", Kind: "unresolved"}
		}
		return protocol.Frame{Name: "main", Module: "program", Kind: "native"}
	}
	look(10 * ms) // and drained only after it executed another
	s.sched(epochs.Event{Kind: epochs.Exec, Thread: self, By: self, At: at(15 * ms)})
	look(20 * ms) // the program that can be read
	s.tick(30 * ms)
	s.sched(epochs.Event{Kind: epochs.Exec, Thread: self, By: self, At: at(40 * ms)})
	look(50 * ms)
	s.sched(epochs.Event{Kind: epochs.Fork, Thread: self, By: 1, At: at(60 * ms)})
	s.tick(100 * ms)
	p := s.finish(100*ms, Named{TID: self, Comm: "self"})
	kinds := map[string]int{}
	for i := range p.Stacks {
		kinds[p.Frames[p.Stacks[i].Frames[0]].Kind] += p.Stacks[i].Samples
	}
	if kinds["native"] != 1 || kinds["unresolved"] != 2 {
		t.Errorf("kinds: %v", kinds)
	}
	if len(s.reader.pids) != 1 || !slices.Equal(s.reader.unbound, []protocol.Image{1}) {
		t.Errorf("bound: %v; unbound: %v", s.reader.pids, s.reader.unbound)
	}
}
