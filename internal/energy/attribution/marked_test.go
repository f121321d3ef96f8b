package attribution

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/units"
)

// answers is a reader of marks whose answers come when a test says so.
type answers struct {
	take func(units.Instant, []instrumented.Mark, uint64, bool)
	at   units.Instant // of the newest question, and of its answer unless it is late
	late time.Duration
	due  bool
	gone bool
	list []instrumented.Mark
}

func (a *answers) TakeMarks(take func(units.Instant, []instrumented.Mark, uint64, bool)) {
	a.take = take
}

func (a *answers) AskMarks(at units.Instant) bool {
	a.due, a.at = !a.gone, at
	return a.due
}

func (a *answers) LastMarks(context.Context, func() units.Instant) { a.answer(false) }

func (a *answers) answer(more bool) {
	if a.due {
		a.due = false
		a.take(a.at.Add(a.late), a.list, 0, more)
		a.list = nil
	}
}

func markedScript(t *testing.T) (*script, *answers) {
	rule, err := energy.NewRule("cpu-time", energy.RuleConfig{})
	if err != nil {
		t.Fatal(err)
	}
	stat := t.TempDir() + "/stat"
	if err := os.WriteFile(stat, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	m := &answers{}
	c := New(Config{Meter: &steady{}, Rules: []energy.Rule{rule}, Sampler: Unsampled{}, Stat: stat,
		Reader: Unsampled{}, Marks: m})
	c.Observe(&governor.Event{Kind: governor.Begin, At: at(0), Frequency: 2e9}, nil)
	return &script{t: t, Attributor: c}, m
}

// TestMarks: windows wait for the marks of their time; a region has the CPU time and the energy of
// its stretches, by iteration, and a mark from the future counts from when it was read.
func TestMarks(t *testing.T) {
	s, m := markedScript(t)
	s.runs(1, 1, 90*ms, epochs.OtherSleep, false)
	m.list = []instrumented.Mark{{Name: "b", End: true, At: at(60 * ms)},
		{Name: "b", At: at(30 * ms)}}
	s.tick(100 * ms)
	s.tick(105 * ms)
	if s.windows != 0 {
		t.Errorf("%d windows are booked before their marks are known", s.windows)
	}
	m.answer(false)
	s.tick(110 * ms)
	if s.windows != 1 {
		t.Errorf("%d windows", s.windows)
	}
	s.runs(1, 100*ms, 200*ms, epochs.OtherSleep, false)
	m.list = []instrumented.Mark{{Name: "b", At: at(150 * ms)},
		{Name: "b", End: true, At: at(3600 * 1000 * ms)}}
	s.tick(200 * ms)
	m.answer(false)
	s.runs(1, 200*ms, 290*ms, epochs.Exited, false)
	p := s.finish(300*ms, Named{TID: 1, PID: 1, Comm: "x"})
	rows, err := p.RegionRows(0)
	if err != nil || len(rows) != 3 {
		t.Fatalf("%+v, %v", rows, err)
	}
	for i, want := range []profile.RegionRow{
		{Name: "b", Iterations: 2, DurNS: int64(80 * ms), TimeNS: int64(80 * ms)},
		{Name: "b", Iteration: 1, DurNS: int64(30 * ms), TimeNS: int64(30 * ms)},
		{Name: "b", Iteration: 2, DurNS: int64(50 * ms), TimeNS: int64(50 * ms)},
	} {
		r := rows[i]
		if r.Name != want.Name || r.Iteration != want.Iteration ||
			r.Iterations != want.Iterations || r.DurNS != want.DurNS || r.TimeNS != want.TimeNS {
			t.Errorf("%+v, want %+v", r, want)
		}
	}
	// 100 mJ a window, all of it the thread's: 30 of 90 ms, and 50 of 100.
	if e := rows[1].Energy; e < 33e6 || e > 34e6 {
		t.Errorf("%d nJ in the first iteration", e)
	}
	if e := rows[2].Energy; e != 50e6 {
		t.Errorf("%d nJ in the second", e)
	}
	cut, err := profile.ParseCut("b#2")
	if err != nil {
		t.Fatal(err)
	}
	part, err := p.Within(cut)
	if err != nil {
		t.Fatal(err)
	}
	if err := part.Check(); err != nil {
		t.Error(err)
	}
	if z := part.Zones[0]; z.TotalNJ != 50e6 || part.WallNS != int64(50*ms) ||
		byName(part)["x"] != 50e6 {
		t.Errorf("%+v over %d ns", z, part.WallNS)
	}
	whole := p.Whole()
	if err := whole.Check(); err != nil {
		t.Error(err)
	}
	if a, b := byName(whole), byName(p); a["x"] != b["x"] || len(whole.Stacks) != 1 ||
		whole.Zones[0].TotalNJ != p.Zones[0].TotalNJ {
		t.Errorf("whole %v, in sections %v", a, b)
	}
}

// TestMarksOfASlowReader: marks that were written after the question, before the reader came to
// read, keep their times, and one without a time stays between its neighbours.
func TestMarksOfASlowReader(t *testing.T) {
	s, m := markedScript(t)
	m.late = 85 * ms
	s.runs(1, 1, 190*ms, epochs.OtherSleep, false)
	m.list = []instrumented.Mark{{Name: "b", At: at(120 * ms)},
		{Name: "b", End: true, At: at(150 * ms)},
		{Name: "c"}, {Name: "c", End: true, At: at(160 * ms)}, {Name: "d", At: at(900 * ms)}}
	s.tick(100 * ms)
	m.answer(false)
	s.tick(200 * ms)
	m.answer(false)
	p := s.finish(300*ms, Named{TID: 1, PID: 1, Comm: "x"})
	rows, err := p.RegionRows(0)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]time.Duration{"b": 30 * ms, "c": 10 * ms, "d": (300 - 185) * ms}
	for _, r := range rows {
		if r.Iteration > 0 {
			continue
		}
		if time.Duration(r.DurNS) != want[r.Name] {
			t.Errorf("%+v, want %v", r, want[r.Name])
		}
		delete(want, r.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// TestMarksLost: without a process that reads marks the run goes on.
func TestMarksLost(t *testing.T) {
	s, m := markedScript(t)
	s.runs(1, 1, 90*ms, epochs.OtherSleep, false)
	s.tick(100 * ms)
	m.gone = true // the answer never comes
	s.tick(105 * ms)
	s.tick(110 * ms)
	if s.windows != 1 {
		t.Errorf("%d windows", s.windows)
	}
	p := s.finish(200 * ms)
	if len(p.Sections) != 1 || p.Whole() != p {
		t.Errorf("%+v", p.Sections)
	}
}

// TestMarksFlood: a program that always marks faster than its marks are read keeps ebb from booking
// for a second, and not for ever.
func TestMarksFlood(t *testing.T) {
	s, m := markedScript(t)
	for now := 100 * ms; now <= 5000*ms; now += 100 * ms {
		s.runs(1, now-90*ms, now-10*ms, epochs.OtherSleep, false)
		m.list = []instrumented.Mark{{Name: "b", At: at(now)}, {Name: "b", End: true, At: at(now)}}
		s.tick(now)
		m.answer(true)
	}
	if s.windows < 38 || s.windows > 41 {
		t.Errorf("%d windows of 50 are booked", s.windows)
	}
}
