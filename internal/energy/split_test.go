package energy

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// stretch is the time that a thread stays in one method.
type stretch struct {
	method StackID
	dur    time.Duration
}

// simulated is ten seconds of a machine of two cores and a meter like RAPL's, which ticks each
// millisecond with some jitter, in steps of 61 uJ, with noise. Thread 1 runs all the time, in
// methods 1 to 3 as 6 : 3 : 1; thread 2 half of the time, each other 50 ms, in the same; thread 3
// collects garbage (method 4) for 5 ms of each 100; thread 4 sleeps, but for 20 us of each 100 ms.
type simulated struct {
	r       *rand.Rand
	builder *Builder
	busy    []Slice
	truth   map[Unit]units.Energy
}

const (
	simLength   = 10 * time.Second
	samplePer   = 10101010 * time.Nanosecond // 99 Hz
	corePower   = units.Power(12)
	idlePower   = units.Power(5)
	raplStep    = 61_035 // nJ
	meterPeriod = 100 * time.Millisecond
)

func (s *simulated) run(t epochs.TID, cpu CPU, spans [][2]time.Duration, methods func() stretch) {
	next := samplePer * time.Duration(s.r.Float64()*1e6) / 1e6
	now := methods()
	for _, span := range spans {
		for at := span[0]; at < span[1]; {
			d := min(now.dur, span[1]-at)
			s.busy = append(s.busy, Slice{Thread: t, CPU: cpu, From: units.Instant(at),
				To: units.Instant(at + d), Frequency: 2e9})
			s.truth[Unit{Thread: t, Stack: now.method}] += corePower.For(d)
			for next < d {
				s.builder.Sample(Sample{Thread: t, At: units.Instant(at + next), Stack: now.method})
				next += samplePer
			}
			next -= d
			at += d
			if now.dur -= d; now.dur <= 0 {
				now = methods()
			}
		}
	}
}

// mixed are stretches of random length in three methods, as 6 : 3 : 1 of the time.
func (s *simulated) mixed() stretch {
	m := StackID(1)
	switch x := s.r.Float64(); {
	case x > 0.9:
		m = 3
	case x > 0.6:
		m = 2
	}
	return stretch{m, time.Duration(s.r.ExpFloat64()*2e6) + 1}
}

func spans(period, from, to time.Duration) (out [][2]time.Duration) {
	for at := time.Duration(0); at < simLength; at += period {
		out = append(out, [2]time.Duration{at + from, at + to})
	}
	return out
}

func (s *simulated) make() {
	s.run(1, 0, [][2]time.Duration{{0, simLength}}, s.mixed)
	s.run(2, 1, spans(100*time.Millisecond, 0, 50*time.Millisecond), s.mixed)
	s.run(3, 1, spans(100*time.Millisecond, 60*time.Millisecond, 65*time.Millisecond),
		func() stretch { return stretch{4, time.Hour} })
	s.run(4, 1, spans(100*time.Millisecond, 80*time.Millisecond,
		80*time.Millisecond+20*time.Microsecond), func() stretch { return stretch{5, time.Hour} })
	for _, b := range s.busy {
		s.builder.Slice(b)
	}
	// The power over time, ms by ms, and what the meter shows of it at each reading.
	ms := make([]float64, simLength/time.Millisecond)
	for i := range ms {
		ms[i] = float64(idlePower) * 1e6
	}
	for _, b := range s.busy {
		for at := b.From; at < b.To; {
			i := int(at / 1e6)
			end := min(b.To, units.Instant(i+1)*1e6)
			ms[i] += float64(corePower) * float64(end-at)
			at = end
		}
	}
	total, shown := 0.0, units.Energy(0)
	for i, e := range ms {
		total += e * (1 + 0.01*s.r.NormFloat64())
		if at := units.Instant(i+1) * 1e6; time.Duration(at)%meterPeriod == 0 {
			late := e * s.r.Float64() // the last tick was up to a millisecond ago
			value := units.Energy((total-late)/raplStep) * raplStep
			s.builder.Reading(at, []units.Energy{value - shown}, nil)
			shown = value
		}
	}
	s.builder.Delivered(units.Instant(simLength))
}

// bookedRun is a run of the simulated machine: what each method used in truth, with the sum as
// number 0, and the ledgers by their rules.
func bookedRun(t *testing.T, seed uint64) (truth [6]float64, ledgers map[string]*Ledger) {
	t.Helper()
	s := simulated{r: rand.New(rand.NewPCG(seed, 20261121)), truth: map[Unit]units.Energy{}}
	zone := []Zone{{Name: "package-0", CPUs: []CPU{0, 1}, Idle: idlePower}}
	ledgers = map[string]*Ledger{}
	for _, name := range RuleNames {
		ledgers[name] = New(zone, rule(t, name), samplePer)
	}
	s.builder = NewBuilder(nil, func(w *Window) {
		for _, l := range ledgers {
			if err := l.Book(w); err != nil {
				t.Fatal(err)
			}
		}
	})
	s.builder.Begin(0)
	s.make()
	for name, l := range ledgers {
		l.Finish()
		if err := l.Check(); err != nil {
			t.Fatalf("seed %d, %s: %v", seed, name, err)
		}
	}
	for u, e := range s.truth {
		truth[u.Stack] += float64(e)
		truth[0] += float64(e)
	}
	return truth, ledgers
}

// method is what a ledger gives a method; all of it for 0, the sleeping thread for 5.
func method(l *Ledger, m StackID) (e float64) {
	for u, x := range l.Entries() {
		if m == 0 || u.Stack == m || m == 5 && u.Thread == 4 {
			e += float64(x.Energy[0])
		}
	}
	return e
}

// interval is the interval of a method's share.
func interval(l *Ledger, m StackID) (lo, hi float64) {
	parts := make([]Part, 5)
	for u, x := range l.Entries() {
		p := &parts[u.Thread]
		p.All += float64(x.Energy[0])
		p.Squares += x.Squares
		if u.Stack == m {
			p.Own += float64(x.Energy[0])
		}
	}
	return Interval(parts)
}

// TestKnownSplit: in 50 runs of the simulated machine the ledger's shares are within 3 points of
// the truth, the intervals have it in nine of ten cases and more, the sleeping thread gets next to
// nothing; equal gives by the number of threads that run; and a rule that ignores the threads'
// running times gives the collector a multiple of its due.
func TestKnownSplit(t *testing.T) {
	const runs = 50
	covered, cases, worst := 0, 0, 0.0
	over := map[string]float64{}
	// what the collector gets by the oblivious rule, in multiples of what equal gives it
	twice := 0.0
	for seed := range uint64(runs) {
		truth, ledgers := bookedRun(t, seed)
		own := ledgers["ledger"]
		all := method(own, 0)
		for m := StackID(1); m <= 4; m++ {
			e := method(own, m)
			share, want := e/all, truth[m]/truth[0]
			worst = max(worst, math.Abs(share-want))
			cases++
			if lo, hi := interval(own, m); lo <= want && want <= hi {
				covered++
			}
		}
		if asleep := method(own, 5); asleep/all > 0.001 {
			t.Errorf("seed %d: the sleeping thread has %.2f %%", seed, 100*asleep/all)
		}
		blind := method(ledgers[Oblivious], 4)
		seeing := method(ledgers[Equal], 4)
		twice += blind / seeing / runs
		for name, l := range ledgers {
			sum := method(l, 0)
			gc := method(l, 4)
			over[name] += gc / sum / (truth[4] / truth[0]) / runs
		}
	}
	t.Logf("worst share off by %.1f points; intervals have the truth in %d of %d; "+
		"the collector gets of its due: %v", 100*worst, covered, cases, over)
	if worst > 0.03 {
		t.Errorf("a share is off by %.1f points", 100*worst)
	}
	if float64(covered) < 0.9*float64(cases) {
		t.Errorf("the intervals have the truth in %d of %d cases", covered, cases)
	}
	if o := over["ledger"]; o < 0.95 || o > 1.05 {
		t.Errorf("the ledger gives the collector %.2f of its due", o)
	}
	// It runs for 5 % of the time, beside one thread: 2.5 % of all, and its due are 3.2 %.
	if o := over[Equal]; o < 0.7 || o > 0.85 {
		t.Errorf("Algorithm 1 gives the collector %.2f of its due, want 0.025/0.032", o)
	}
	// Two threads run whenever it does.
	if math.Abs(twice-2) > 1e-6 {
		t.Errorf("the oblivious rule gives the collector %.3f times what equal does", twice)
	}
	if o := over[Artifact]; o < 2 {
		t.Errorf("the rule that counts threads alone gives the collector only %.2f of its due", o)
	}
}
