package governor_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// states25 are 1 to 4 GHz in steps of 125 MHz.
func states25() []units.Frequency {
	var s []units.Frequency
	for f := units.Frequency(1e9); f <= 4e9; f += 125e6 {
		s = append(s, f)
	}
	return s
}

// load makes the scheduler events of threads that sleep and wake each other at random, so that
// about perQuantum epochs end in each quantum and running of the threads run at a time.
type load struct {
	r       *rand.Rand
	at      units.Instant
	from    []units.Instant // of the open slice, 0 when asleep
	asleep  []int
	events  []governor.Event
	running int
}

func newLoad(threads, running int) *load {
	l := &load{r: rand.New(rand.NewPCG(7, 0)), from: make([]units.Instant, threads), at: 5e9,
		running: running}
	l.events = append(l.events, governor.Event{Kind: governor.Begin, At: l.at, Frequency: 4e9})
	for t := range threads {
		if t < running {
			l.on(t, epochs.Started, epochs.NoThread)
		} else {
			l.asleep = append(l.asleep, t)
		}
	}
	return l
}

func (l *load) sched(ev epochs.Event) {
	ev.At = l.at
	l.events = append(l.events, governor.Event{Kind: governor.Sched, Sched: ev})
}

func (l *load) on(t int, why epochs.Cause, by epochs.TID) {
	l.from[t] = l.at
	l.sched(epochs.Event{Kind: epochs.On, Cause: why, Thread: epochs.TID(t), By: by, CPU: int16(t)})
}

func (l *load) close(t int, k epochs.Kind, why epochs.Cause) {
	cycles := uint64(l.at-l.from[t]) * 4
	ev := epochs.Event{Kind: k, Cause: why, Thread: epochs.TID(t), By: epochs.NoThread,
		CPU: int16(t), From: l.from[t]}
	ev.Counters = [epochs.MaxCounters]uint64{cycles, cycles / 2, cycles * 3 / 10, cycles * 4 / 10}
	l.from[t] = l.at
	l.sched(ev)
}

// quantum adds 5 ms in which epochsEach epochs end.
func (l *load) quantum(epochsEach int) {
	end := l.at + 5e6
	step := units.Instant(5e6 / epochsEach)
	for range epochsEach - 1 {
		l.at += step
		t := l.r.IntN(len(l.from))
		for l.from[t] == 0 {
			t = (t + 1) % len(l.from)
		}
		l.close(t, epochs.Off, epochs.FutexSleep)
		l.from[t] = 0
		l.asleep = append(l.asleep, t)
		i := l.r.IntN(len(l.asleep))
		next := l.asleep[i]
		l.asleep = slices.Delete(l.asleep, i, i+1)
		l.on(next, epochs.Woken, epochs.TID(t))
	}
	l.at = end
	for t := range l.from {
		if l.from[t] != 0 {
			l.close(t, epochs.Slice, 0)
		}
	}
	l.sched(epochs.Event{Kind: epochs.Tick, Thread: epochs.NoThread, By: epochs.NoThread})
}

func benchConfig(o governor.Objective) governor.Config {
	return governor.Config{
		Objective: o, Slowdown: 0.05, Power: power.Table2(), States: states25(),
		Quantum: 5 * time.Millisecond, HoldOff: 1, Shadow: true,
		Counters: []string{hpc.Cycles, hpc.Instructions, hpc.StallLo, hpc.OccHi},
	}
}

// BenchmarkGovernor runs whole quanta through the core: reordering, assembly, prediction, decision.
// The budget needs a few of the 25 states, system energy needs every state. rows/s counts epochs
// times running threads; the tick at a quantum's end releases, assembles and decides.
func BenchmarkGovernor(b *testing.B) {
	for _, c := range []struct {
		objective        governor.Objective
		threads, running int
		epochs           int
	}{
		{governor.Slowdown, 8, 4, 50}, {governor.Slowdown, 32, 8, 1000},
		{governor.Slowdown, 64, 64, 1000},
		{governor.SystemEnergy, 8, 4, 50}, {governor.SystemEnergy, 32, 8, 1000},
	} {
		b.Run(fmt.Sprintf("%s/threads=%d/running=%d/epochs=%d", c.objective, c.threads, c.running,
			c.epochs), func(b *testing.B) {
			l := newLoad(c.threads, c.running)
			g, err := governor.New(benchConfig(c.objective))
			if err != nil {
				b.Fatal(err)
			}
			var out []governor.Action
			rows := 0
			var decisions []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				l.events = l.events[:0:cap(l.events)]
				if rows == 0 {
					l = newLoad(c.threads, c.running)
				}
				l.quantum(c.epochs)
				last := len(l.events) - 1
				b.StartTimer()
				for i := range l.events[:last] {
					out = g.Step(&l.events[i], out[:0])
				}
				start := time.Now()
				out = g.Step(&l.events[last], out[:0])
				decisions = append(decisions, time.Since(start))
				for _, a := range out {
					if a.Kind == governor.Decided {
						rows += a.Quantum.Rows
					}
				}
			}
			slices.Sort(decisions)
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(decisions[len(decisions)*99/100].Nanoseconds()), "p99-ns/tick")
			b.ReportMetric(float64(decisions[len(decisions)/2].Nanoseconds()), "p50-ns/tick")
		})
	}
}

// BenchmarkDecision measures the decision alone: with 1,000 epochs of 64 running threads (and some
// asleep) present, the policy asks and chooses. The budget changes with each decision, so the
// previous answer is a bad guess.
func BenchmarkDecision(b *testing.B) {
	for _, rule := range []policy.Rule{policy.Priced, policy.Even} {
		for _, model := range []string{"wake", "dep+burst"} {
			for _, threads := range []int{8, 64} {
				b.Run(fmt.Sprintf("%s/%s/threads=%d/epochs=1000", rule, model, threads),
					func(b *testing.B) {
						benchDecision(b, rule, model, threads)
					})
			}
		}
	}
}

func benchDecision(b *testing.B, rule policy.Rule, model string, threads int) {
	cfg := benchConfig(governor.Slowdown)
	p, err := predictor.New(predictor.Config{Model: model}, cfg.Counters)
	if err != nil {
		b.Fatal(err)
	}
	g, err := governor.New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	var run time.Duration
	g.Epochs(func(e *epochs.Epoch) {
		p.Add(e, 4e9)
		run += time.Duration(e.Dur)
	})
	l := newLoad(threads+threads/8, threads)
	l.quantum(1000)
	for i := range l.events {
		g.Step(&l.events[i], nil)
	}
	fit := power.NewFit(power.Table2())
	var policies []policy.Policy
	for _, slowdown := range []units.Slowdown{0.01, 0.30, 0.05, 0.80} {
		var pol policy.Policy
		if rule == policy.Even {
			pol, err = policy.NewBudget(policy.BudgetConfig{Slowdown: slowdown, States: cfg.States})
		} else {
			pol, err = policy.NewAllotment(policy.AllotmentConfig{Slowdown: slowdown,
				States: cfg.States, Power: &fit})
		}
		if err != nil {
			b.Fatal(err)
		}
		policies = append(policies, pol)
	}
	var took []time.Duration
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		policies[i%len(policies)].Decide(policy.Quantum{Dur: run, Delivered: 4e9, Busy: run,
			ThreadRun: run * time.Duration(threads)}, p)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns/decision")
}
