package predictor

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
	"github.com/ebb-energy/ebb/units"
)

// waitingThreads is one epoch of some threads, each of which ran for all of dur ns and waited for
// memory for mem of them; a stretch in which nobody ran follows.
func waitingThreads(t *testing.T, threads int, dur, mem, idle int64) *Predictor {
	t.Helper()
	p, err := New(Config{}, []string{"crit_offx", "crit_dramx", "fetch_off", "sq_off"})
	if err != nil {
		t.Fatal(err)
	}
	e := epochs.Epoch{Dur: epochs.Ticks(dur)}
	for i := range threads {
		e.Rows = append(e.Rows, epochs.Row{Thread: epochs.TID(i + 1),
			Values: []int64{mem, mem, 0, 0}})
		e.Ends = append(e.Ends, epochs.End{Kind: epochs.EndOtherSleep, Thread: epochs.TID(i + 1),
			By: epochs.NoThread})
	}
	p.Add(&e, 3e9)
	p.Add(&epochs.Epoch{Start: epochs.Ticks(dur), Dur: epochs.Ticks(idle)}, 3e9)
	return p
}

// TestShareSolvesTheEquation compares with the equation in the package's documentation, solved by
// bisection.
func TestShareSolvesTheEquation(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	m := nonscaling.DefaultLatencies()
	for range 2000 {
		threads, dur := 1+rng.IntN(8), 1_000_000+rng.Int64N(9_000_000)
		mem, idle := 1+rng.Int64N(dur), rng.Int64N(2)*rng.Int64N(dur)
		n := float64(threads)
		lines := rng.Float64() * float64(dur) / m.LineNs
		own := min(lines*m.LineNs/float64(mem)/n, maxOwnUse)
		if (1-1/n)*lines*m.LineNs/float64(dur) > maxOthersUse*(1-own) {
			continue // more is not believed
		}
		f := units.Frequency(1e9 + rng.Float64()*3e9)

		alone := waitingThreads(t, threads, dur, mem, idle)
		b, running := alone.Duration(f)-float64(idle), alone.Running(f)
		p := waitingThreads(t, threads, dur, mem, idle)
		p.Share(lines)

		others, d := (1-1/n)*lines*m.LineNs, float64(dur)
		wait := func(t float64) float64 { u := own + others/t; return m.LineNs * u / (1 - u) }
		lo, hi := others/(1-own), 100*(b+d)
		for range 200 {
			if x := (lo + hi) / 2; x < b+float64(mem)*(wait(x)-wait(d))/(m.MemoryNs+wait(d)) {
				lo = x
			} else {
				hi = x
			}
		}
		if got := p.Duration(f) - float64(idle); math.Abs(got/lo-1) > 1e-4 {
			t.Fatalf(
				"%d threads, %d ns, %d of them for memory, %.0f lines: %v takes %.0f ns, want %.0f",
				threads, dur, mem, lines, f, got, lo,
			)
		}
		// Threads that do not wait for each other run as long as the whole takes.
		want := float64(threads) * (p.Duration(f) - float64(idle))
		if got := p.Running(f); math.Abs(got/want-1) > 1e-9 {
			t.Fatalf("%d threads run for %.0f ns, want %.0f", threads, got, want)
		}
		if got := p.Running(f); f > 3e9 && got < running*(1-1e-12) ||
			f < 3e9 && got > running*(1+1e-12) {
			t.Fatalf("%v: running for %.0f ns, %.0f if memory answered as at 3 GHz", f, got,
				running)
		}
		if got := p.Duration(3e9); math.Abs(got-float64(dur+idle)) > 1e-6 {
			t.Fatalf("at the base %.9f ns, measured %d", got, dur+idle)
		}
	}
}

// TestShareOfNothing: a thread that does not wait for memory, or is alone, meets no contention
// there, and an idle memory causes no wait. A count that memory cannot have moved is cut.
func TestShareOfNothing(t *testing.T) {
	none, idle := waitingThreads(t, 2, 5e6, 0, 0), waitingThreads(t, 2, 5e6, 1e6, 0)
	over, one := waitingThreads(t, 8, 5e6, 1e6, 0), waitingThreads(t, 1, 5e6, 1e6, 0)
	for _, x := range []struct {
		p     *Predictor
		lines float64
	}{{none, 1e5}, {one, 1e5}, {idle, 0}, {idle, math.NaN()}, {idle, -5}} {
		was := x.p.Duration(4e9)
		if x.p.Share(x.lines); x.p.Duration(4e9) != was {
			t.Errorf("%g lines: %v instead of %v", x.lines, x.p.Duration(4e9), was)
		}
	}
	over.Share(1e12)
	if d := over.Duration(4e9); !(d > 4.1e6 && d <= 5e6) {
		t.Errorf("a memory that is always busy: %v of 5 ms", d)
	}
	over.Reset()
	over.Add(&epochs.Epoch{Dur: 5e6,
		Rows: []epochs.Row{{Thread: 1, Values: []int64{1e6, 1e6, 0, 0}}}}, 3e9)
	if d := over.Duration(4e9); d > 4.1e6 {
		t.Errorf("%v: what was shared before the reset still counts", d)
	}
	empty, err := New(Config{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	empty.Share(100)
	if d := empty.Duration(4e9); d != 0 {
		t.Errorf("nothing takes %v", d)
	}
}

// TestShareOfAdvances: what threads wait for each other at the memory is the same in advances as in
// the whole, where each of two threads waits for memory in every second quantum, and a memory that
// is hardly used changes hardly anything where one of them gets ahead and then sleeps.
func TestShareOfAdvances(t *testing.T) {
	const base, d, n = 1000 * mhz, 5_000_000, 40
	columns := []string{"crit_offx", "crit_dramx", "fetch_off", "sq_off"}
	for _, c := range []struct {
		use   float64
		sleep bool
	}{{0, false}, {0.1, false}, {0.5, false}, {0.7, false}, {0, true}, {1e-6, true}} {
		for _, f := range []units.Frequency{base / 2, base, 2 * base, 4 * base} {
			q, w := mustNew(t, Config{Unit: "ns"}, columns), mustNew(t, Config{Unit: "ns"}, columns)
			got := 0.0
			for i := range n {
				e := epochs.Epoch{ID: i, Start: epochs.Ticks(i) * d, Dur: d}
				for k := range 2 {
					off := int64(d / 5)
					if c.sleep && k == 1 || !c.sleep && i%2 == k {
						off = d * 9 / 10
					}
					if c.sleep && k == 1 && i >= n/2 {
						continue
					}
					e.Rows = append(e.Rows, epochs.Row{Thread: epochs.TID(k + 1),
						Values: []int64{off, off, 0, 0}})
				}
				if c.sleep && i == n/2-1 {
					e.Ends = []epochs.End{{Kind: epochs.EndSleep, Thread: 2, By: epochs.NoThread}}
				}
				w.Add(&e, base)
				q.Add(&e, base)
				q.Share(c.use * d / nonscaling.DefaultLatencies().LineNs)
				got += q.Advance(f)
				q.Reset()
			}
			w.Share(c.use * d * n / nonscaling.DefaultLatencies().LineNs)
			want := w.Duration(f)
			if c.sleep { // the first thread sets the pace all the time
				want = n * d * (0.2 + 0.8*float64(base)/float64(f))
			}
			if math.Abs(got/want-1) > 1e-4 {
				t.Errorf("use %g, sleep %v, %v: advances add up to %.3f ms, want %.3f", c.use,
					c.sleep, f, got/1e6, want/1e6)
			}
		}
	}
}
