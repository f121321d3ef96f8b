package report

import (
	"encoding/json"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// life is a program of many days as the core and the report see it: it works and sleeps every day,
// each thread lives for a quantum, the kernel gives their ids again, and meters are read.
type life struct {
	quantum  time.Duration
	work     time.Duration // of a day
	governor *governor.Governor
	observer *Observer
	report   Report
	now      units.Instant
	clock    units.Frequency
	out      []governor.Action
	done     int // quanta
	meter    units.Energy
	traffic  uint64
	own      time.Duration
	rests    int
	silent   units.Instant // no tick comes before
}

const lifePower = units.Power(80)

func newLife(t *testing.T, quantum, work time.Duration) *life {
	t.Helper()
	cfg := governor.Default()
	cfg.States, cfg.Quantum, cfg.Rest = states, quantum, 8
	cfg.Counters = []string{hpc.Cycles, hpc.Instructions, hpc.StallLo, hpc.OccHi}
	g, err := governor.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l := &life{governor: g, clock: 4e9, quantum: quantum, work: work,
		report: Report{Objective: "slowdown", SlowdownBudget: 0.05, QuantumNS: int64(quantum),
			HoldOff: 1}}
	l.observer = NewObserver(&l.report, states, power.Table2())
	l.step(governor.Event{Kind: governor.Begin, Frequency: l.clock})
	return l
}

func (l *life) step(ev governor.Event) {
	l.out = l.governor.Step(&ev, l.out[:0])
	l.observer.Observe(&ev, l.out)
	asked := units.Frequency(0)
	for i := range l.out {
		switch l.out[i].Kind {
		case governor.SetFrequency:
			asked = l.out[i].Frequency
		case governor.Rest:
			l.rests, l.silent = l.rests+1, l.out[i].Rest.Until
		}
	}
	if asked != 0 {
		l.clock = asked
		l.step(governor.Event{Kind: governor.Applied, At: l.now, Frequency: asked})
	}
}

func (l *life) sched(ev epochs.Event) {
	ev.At = l.now
	l.step(governor.Event{Kind: governor.Sched, Sched: ev})
}

// pass is a quantum in which a thread begins, runs for two thirds of the time, and ends.
func (l *life) pass() {
	end := l.now.Add(l.quantum)
	tid := epochs.TID(1000 + l.done%32_000)
	l.now = l.now.Add(time.Microsecond) // a tick says that all of its time is there
	l.sched(epochs.Event{Kind: epochs.Fork, Thread: tid, By: epochs.NoThread, CPU: 0})
	from := l.now
	l.sched(epochs.Event{Kind: epochs.On, Cause: epochs.Started, Thread: tid, By: epochs.NoThread})
	l.now = l.now.Add(l.quantum*2/3 - 2*time.Microsecond)
	l.sched(epochs.Event{Kind: epochs.Exit, Thread: tid, By: epochs.NoThread})
	l.now = l.now.Add(time.Microsecond)
	cycles := uint64(float64(l.now.Sub(from)) * float64(l.clock) / 1e9)
	l.sched(epochs.Event{Kind: epochs.Off, Cause: epochs.Exited, Thread: tid, By: epochs.NoThread,
		From: from, Counters: [epochs.MaxCounters]uint64{cycles, cycles / 2, cycles / 10,
			cycles / 5}})
	l.now = end
	l.done++
	l.meter += lifePower.For(l.quantum)
	l.traffic += 1 << 30
	l.own += l.quantum / 10_000
	if l.now < l.silent {
		return
	}
	l.step(governor.Event{Kind: governor.Metered, At: l.now, Package: l.meter, Cores: l.meter / 2})
	l.step(governor.Event{Kind: governor.Overhead, At: l.now, Displaced: l.own, Traced: l.own})
	l.step(governor.Event{Kind: governor.Traffic, At: l.now, Reads: l.traffic,
		Writes: l.traffic / 2})
	l.sched(epochs.Event{Kind: epochs.Tick, Thread: epochs.NoThread, By: epochs.NoThread})
}

// days lets days pass.
func (l *life) days(n int) {
	for range n {
		for range int(l.work / l.quantum) {
			l.pass()
		}
		l.now = l.now.Add(24*time.Hour - l.work)
		l.meter += lifePower.For(24*time.Hour - l.work)
	}
}

// memory is what the heap has that is in use.
func memory() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// finished is the report, and its length.
func (l *life) finished(t *testing.T) (*Report, int) {
	t.Helper()
	l.step(governor.Event{Kind: governor.End, At: l.now})
	l.observer.Finish()
	text, err := json.Marshal(&l.report)
	if err != nil {
		t.Fatal(err)
	}
	return &l.report, len(text)
}

// TestNinetyDays: a run of 90 days says 90 times what one of a day says, and needs no more memory
// than one of 45. Quanta of half a minute fill the days, as short ones would take the test hours;
// those of 5 ms, some seconds a day, have rests.
func TestNinetyDays(t *testing.T) {
	t.Run("work", func(t *testing.T) { ninetyDays(t, 30*time.Second, 16*time.Hour, 1) })
	t.Run("rests", func(t *testing.T) { ninetyDays(t, 5*time.Millisecond, 15*time.Second, 9) })
}

// ninetyDays compares with some days, in which the governor has learned.
func ninetyDays(t *testing.T, quantum, work time.Duration, some int) {
	day := newLife(t, quantum, work)
	day.days(some)
	one, _ := day.finished(t)

	l := newLife(t, quantum, work)
	l.days(45)
	before := memory()
	l.days(45)
	if grown := int64(memory()) - int64(before); grown > 2<<20 {
		t.Errorf("the second 45 days took %d bytes", grown)
	}
	all, length := l.finished(t)
	if most := maxQuanta * 600; length > most {
		t.Errorf("a report of %d bytes, more than %d", length, most)
	}
	for _, c := range []struct {
		what     string
		day, all int64
	}{
		{"time", one.WallNS, all.WallNS}, {"profiled", one.ProfiledNS, all.ProfiledNS},
		{"idle", one.IdleNS, all.IdleNS}, {"epochs", one.Epochs, all.Epochs},
		{"rows", one.Rows, all.Rows}, {"quanta", decided(one), decided(all)},
		{"held up", one.DisplacedNS, all.DisplacedNS},
		{"at clocks", clocks(one), clocks(all)}, {"energy", energies(one), energies(all)},
		{"at the highest clock", highest(one), highest(all)},
	} {
		// The few days have the begin, in which the governor has yet to learn.
		r := float64(c.all) / float64(c.day) * float64(some) / 90
		if math.Abs(r-1) > 0.02 {
			t.Errorf("%s: %d in %d days, %d in 90, which is %.4f of that", c.what, c.day, some,
				c.all, r)
		}
	}
	if all.HoleQuanta != 0 {
		t.Errorf("%d quanta are holes", all.HoleQuanta)
	}
	if d := all.SlowdownPredicted - one.SlowdownPredicted; math.Abs(d) > 0.005 {
		t.Errorf("slowdown %v in %d days, %v in 90", one.SlowdownPredicted, some,
			all.SlowdownPredicted)
	}
	if (l.rests > 0) != (quantum < time.Second) || len(all.Quanta) > maxQuanta {
		t.Errorf("%d rests, %d quanta kept", l.rests, len(all.Quanta))
	}
	t.Logf("%d quanta, %d rests, %d bytes of report", l.done, l.rests, length)
}

// decided counts the quanta that were decided for, those that passed in rests among them.
func decided(r *Report) int64 { return r.Decisions + r.RestQuanta - r.Rests }

func clocks(r *Report) (sum int64) {
	for _, f := range r.Frequencies {
		sum += f.TimeNS
	}
	return sum
}

func energies(r *Report) (sum int64) {
	for _, z := range r.Energy {
		sum += z.EnergyNJ
	}
	return sum
}

func highest(r *Report) (sum int64) {
	for _, z := range r.Energy {
		sum += z.MaxFreqNJ
	}
	return sum
}
