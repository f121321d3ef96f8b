//go:build !race

package simhost_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/simhost"
	"github.com/ebb-energy/ebb/units"
)

// visits is the length of a thread's stays in its functions at the highest frequency.
type visits struct {
	mean   time.Duration
	random bool // between 5 and 200 ms, as likely at any order of magnitude
}

// inFunctions is a program of some seconds whose functions alternate within each thread. Each entry
// is noted.
type inFunctions struct {
	visits    visits
	threads   int
	functions int           // the first so many
	total     time.Duration // at the highest frequency, about
	counted   bool          // its loops keep their count in a register
	quantum   time.Duration // 0 for 5 ms
	// looked is the function that a sample at a time finds, by what was read of compiled code; nil
	// where nothing changes in a run.
	looked   func(fn sensitivity.FunctionNumber, at time.Duration) sensitivity.FunctionNumber
	computer *simtest.Computer
	at       map[epochs.TID][]sensitivity.Sample
	turns    map[epochs.TID][]units.Instant // of its loops, since the one that was sampled last
	count    map[epochs.TID]uint64          // of turns, by the last sample
	last     map[epochs.TID]sensitivity.FunctionNumber
	begin    units.Instant // of the sampling
}

// functionMixes are the functions' code, and perNs its speed at 4 GHz in instructions.
var (
	functionMixes = []*simtest.Mix{&chase, &compute,
		{Name: "mixes", CPI: 0.6, Memory: 5, L3: 5, Ahead: 6, Parallel: 1}}
	perNs = []float64{0.58, 8, 1.6}
)

func (p *inFunctions) workload() simtest.Workload {
	p.at, p.turns = map[epochs.TID][]sensitivity.Sample{}, map[epochs.TID][]units.Instant{}
	p.count, p.last = map[epochs.TID]uint64{}, map[epochs.TID]sensitivity.FunctionNumber{}
	return simtest.Workload{Name: "functions", Threads: p.threads, Build: func(b *simtest.Builder) {
		for i := range p.threads {
			id := firstThread + epochs.TID(i)
			b.Thread("app", simtest.App, func(t *simtest.Thread) {
				for done := time.Duration(0); done < p.total; {
					for fn := range functionMixes[:p.functions] {
						stay := p.visits.stay(t.Rand())
						done += stay
						if p.computer != nil {
							p.at[id] = append(p.at[id], sensitivity.Sample{At: p.computer.Now(),
								Thread: id, Function: sensitivity.FunctionNumber(fn)})
						}
						left := float64(stay) * perNs[fn]
						for ; left > 0; left -= 100_000 {
							if p.computer != nil && p.counted {
								p.turns[id] = append(p.turns[id], p.computer.Now())
							}
							t.Run(functionMixes[fn], 100_000)
						}
					}
				}
			})
		}
	}}
}

func (v *visits) stay(r *rand.Rand) time.Duration {
	if !v.random {
		return v.mean
	}
	return time.Duration(5e6 * math.Pow(40, r.Float64()))
}

// sampling hands over samples of the program's threads, one in a period.
func (p *inFunctions) sampling(
	period time.Duration,
) func(units.Instant, func(*governor.Event)) error {
	last := units.Instant(0)
	return func(tick units.Instant, add func(*governor.Event)) error {
		if last == 0 {
			last = tick.Add(-5 * time.Millisecond)
			p.begin = last
		}
		for ; last.Add(period) <= tick; last = last.Add(period) {
			now := last.Add(period)
			for id := firstThread; id < firstThread+epochs.TID(p.threads); id++ {
				all := p.at[id]
				for len(all) > 1 && all[1].At <= now {
					all = all[1:]
				}
				if p.at[id] = all; len(all) > 0 && all[0].At <= now {
					fn := all[0].Function
					if p.looked != nil {
						fn = p.looked(fn, now.Sub(p.begin))
					}
					add(&governor.Event{Kind: governor.Sampled, At: now, Thread: id, Function: fn,
						Advance: p.advance(id, fn, now)})
				}
			}
		}
		return nil
	}
}

// advance is that of the register with the loop's count. Another one has what looks random.
func (p *inFunctions) advance(
	id epochs.TID, fn sensitivity.FunctionNumber, now units.Instant,
) (a sensitivity.Advance) {
	turns, before := p.turns[id], p.count[id]
	for len(turns) > 0 && turns[0] <= now {
		turns = turns[1:]
		p.count[id]++
	}
	p.turns[id] = turns
	if last, ok := p.last[id]; ok && last == fn && p.counted {
		a[3] = sensitivity.Advanced(p.count[id], before)
		a[5] = sensitivity.Advanced(before*0x9e3779b97f4a7c15, p.count[id]*0x9e3779b97f4a7c15)
	}
	p.last[id] = fn
	return a
}

// outcome is a governed run against the highest frequency.
type outcome struct {
	lost, saved float64
	log         *sensitivity.Log
	quanta      []governor.Quantum
	dropped     time.Duration // when the table was dropped; 0 if it was not
}

// runFunctions governs the program: by counters, or by a table.
func runFunctions(
	t *testing.T, p inFunctions, seed uint64, counters []string, shares *sensitivity.Shares,
) outcome {
	t.Helper()
	machine := profile(t, "paper")
	o := simtest.Options{Seed: seed, Counters: counters, Quantum: p.quantum}
	top, err := simtest.Static(machine, p.workload(), o, machine.Highest())
	if err != nil {
		t.Fatal(err)
	}
	m, err := simtest.New(machine, p.workload(), o)
	if err != nil {
		t.Fatal(err)
	}
	p.computer = m
	cfg := simhost.Configure(governor.Default(), &machine, &o)
	cfg.Slowdown, cfg.Functions = 0.1, shares
	g, err := governor.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var out outcome
	see := observer(func(ev *governor.Event, actions []governor.Action) {
		for _, a := range actions {
			if a.Kind == governor.Decided {
				out.quanta = append(out.quanta, a.Quantum)
			}
		}
		if g.Sampled() != nil && g.Sampled().Verdict() == sensitivity.Wrong && out.dropped == 0 {
			out.dropped = ev.Sched.At.Sub(g.Start())
		}
	})
	run := governor.Machine(simhost.New(m))
	if shares != nil {
		run = governor.WithSamples(run, p.sampling(2*time.Millisecond))
	}
	if err := governor.Run(context.Background(), g, run, see); err != nil {
		t.Fatal(err)
	}
	truth := m.Truth()
	out.lost = float64(truth.Wall)/float64(top.Wall) - 1
	out.saved = 1 - float64(truth.Energy.Package())/float64(top.Energy.Package())
	out.log = g.Sampled()
	return out
}

type observer func(*governor.Event, []governor.Action)

func (o observer) Observe(ev *governor.Event, actions []governor.Action) { o(ev, actions) }

// trueShares are the functions' shares, by the clock that each runs at alone.
func trueShares(t *testing.T) *sensitivity.Shares {
	t.Helper()
	p, err := hardware.ByName("paper")
	if err != nil {
		t.Fatal(err)
	}
	s := &sensitivity.Shares{Frequency: p.Highest()}
	for _, mix := range functionMixes {
		w := simtest.Workload{Name: mix.Name, Threads: 1, Build: func(b *simtest.Builder) {
			b.Thread("app", simtest.App, func(t *simtest.Thread) {
				for range 500 {
					t.Run(mix, 100_000)
				}
			})
		}}
		var wall [2]float64
		for i, f := range []units.Frequency{p.Highest(), p.Highest() / 2} {
			r, err := simtest.Static(p, w, simtest.Options{Seed: 1}, f)
			if err != nil {
				t.Fatal(err)
			}
			wall[i] = float64(r.Wall)
		}
		t.Logf("%s: %.3f ms, share %.3f", mix.Name, wall[0]/1e6, 2-wall[1]/wall[0])
		s.Share = append(s.Share, max(2-wall[1]/wall[0], 0))
	}
	return s
}

// regular are programs whose visits are as long each time. Those of 5 ms are as long as a quantum.
func regular(functions int, total time.Duration) (list []inFunctions) {
	for _, ms := range []time.Duration{5, 20, 70, 200} {
		list = append(list, inFunctions{visits: visits{mean: ms * time.Millisecond}, threads: 1,
			functions: functions, total: total})
	}
	return list
}

// TestFunctionsSave: without counters, by a table, a program saves four fifths of what it saves by
// counters, within the budget and a point; three fourths where its visits are so irregular that the
// table is not proven, and no register counts. Without a table it saves next to nothing.
func TestFunctionsSave(t *testing.T) {
	shares := trueShares(t)
	irregular := inFunctions{visits: visits{random: true}, threads: 1, functions: 2,
		total: 8 * time.Second}
	slow := inFunctions{visits: visits{mean: 70 * time.Millisecond}, threads: 1, functions: 2,
		total: 6 * time.Second, quantum: 50 * time.Millisecond}
	counting := irregular
	counting.counted = true
	for _, p := range append(regular(2, 6*time.Second), irregular, counting, slow) {
		counted := runFunctions(t, p, 1, simulatorCounters, nil)
		by := runFunctions(t, p, 1, nil, shares)
		none := runFunctions(t, p, 1, nil, nil)
		t.Logf("%+v: saved %.2f %% with counters, %.2f with a table, %.2f without; "+
			"%.2f, %.2f, %.2f %% slower; %d visits", p.visits, 100*counted.saved, 100*by.saved,
			100*none.saved, 100*counted.lost, 100*by.lost, 100*none.lost, by.log.Visits())
		least := 0.8
		if p.visits.random && !p.counted {
			least = 0.75
		}
		if by.saved < least*counted.saved || by.lost > 0.11 || by.dropped != 0 {
			t.Errorf("%+v: saved %.2f %%, with counters %.2f; %.2f %% slower; dropped after %v",
				p.visits, 100*by.saved, 100*counted.saved, 100*by.lost, by.dropped)
		}
		if none.saved > 0.01 {
			t.Errorf("%+v: saved %.2f %% without a table", p.visits, 100*none.saved)
		}
		if c := by.log.Coverage(); c.Known < c.Running*99/100 {
			t.Errorf("%+v: the function was known for %v of %v", p.visits, c.Known, c.Running)
		}
	}
}

// TestWrongTables: a table whose shares are all too high is found out within two seconds, and one
// with its entries exchanged loses the saving. The budget is kept with both.
func TestWrongTables(t *testing.T) {
	right := trueShares(t)
	for _, wrong := range []struct {
		name   string
		shares []float64
	}{{"exchanged", []float64{right.Share[1], right.Share[0]}}, {"too high", []float64{0.95, 0.8}},
		{"far too high", []float64{0.95, 0.9}}} {
		random := inFunctions{visits: visits{random: true}, threads: 1, functions: 2,
			total: 8 * time.Second, counted: true}
		for _, p := range append(regular(2, 8*time.Second), random) {
			r := runFunctions(t, p, 1, nil, &sensitivity.Shares{Frequency: right.Frequency,
				Share: wrong.shares})
			t.Logf("%s, %+v: dropped after %v and %d visits; saved %.2f %%, %.2f %% slower",
				wrong.name, p.visits, r.dropped, r.log.Visits(), 100*r.saved, 100*r.lost)
			late := 2 * time.Second
			if wrong.name == "exchanged" && !p.counted { // one of the two functions only
				late = 3 * time.Second
			}
			if r.dropped == 0 || r.dropped > late || r.lost > 0.11 || r.saved > 0.05 {
				t.Errorf("%s, %v: dropped after %v; saved %.2f %%, %.2f %% slower", wrong.name,
					p.visits.mean, r.dropped, 100*r.saved, 100*r.lost)
			}
		}
	}
}

// TestStayingIsFoundOut: a program that goes over to a function whose share is too high, and stays
// there, is found out by the count of its loop.
func TestStayingIsFoundOut(t *testing.T) {
	right := trueShares(t)
	p := inFunctions{visits: visits{mean: 4 * time.Second}, threads: 1, functions: 2,
		total: 8 * time.Second, counted: true}
	r := runFunctions(t, p, 1, nil, &sensitivity.Shares{Frequency: right.Frequency,
		Share: []float64{right.Share[0], 0.8}})
	t.Logf("dropped after %v; saved %.2f %%, %.2f %% slower", r.dropped, 100*r.saved, 100*r.lost)
	if r.dropped < 4*time.Second || r.dropped > 6500*time.Millisecond || r.lost > 0.11 {
		t.Errorf("dropped after %v; %.2f %% slower", r.dropped, 100*r.lost)
	}
}
