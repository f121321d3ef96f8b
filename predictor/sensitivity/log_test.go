package sensitivity

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

const (
	highest = units.Frequency(4e9)
	quantum = 5 * time.Millisecond
	ms      = units.Instant(time.Millisecond)
)

// epoch is one in which some threads run.
func epoch(from, to units.Instant, threads ...epochs.TID) *epochs.Epoch {
	e := &epochs.Epoch{Start: epochs.Ticks(from), Dur: epochs.Ticks(to - from)}
	for _, t := range threads {
		e.Rows = append(e.Rows, epochs.Row{Thread: t, Values: []int64{7}})
	}
	return e
}

// TestExtend: a thread's time has the share of the function of its last sample, at the clock that
// it ran at, for 50 ms; before, behind and in unknown functions all of it scales.
func TestExtend(t *testing.T) {
	shares := Shares{Frequency: highest, Share: []float64{0.5, 0}}
	for _, c := range []struct {
		name    string
		clock   units.Frequency
		samples []Sample
		want    float64 // ms of the 100 from 1000 ms on
	}{
		{"no sample", highest, nil, 0},
		{"a sample holds for 50 ms", highest, []Sample{{At: 1000 * ms}}, 25},
		{"one from before holds for the rest", highest, []Sample{{At: 970 * ms}}, 10},
		{"one from long before holds no more", highest, []Sample{{At: 940 * ms}}, 0},
		{"one comes late", highest, []Sample{{At: 1080 * ms}}, 10},
		{"one that comes after it says nothing", highest, []Sample{{At: 1100 * ms}}, 0},
		{"two go on", highest, []Sample{{At: 1000 * ms}, {At: 1040 * ms}}, 45},
		{"the second is another's", highest, []Sample{{At: 1000 * ms},
			{At: 1040 * ms, Function: 1}}, 20},
		{"the second is unknown", highest, []Sample{{At: 1000 * ms},
			{At: 1040 * ms, Function: UnknownFunction}}, 20},
		{"the table lacks it", highest, []Sample{{At: 1000 * ms, Function: 2}}, 0},
		{"another thread's", highest, []Sample{{At: 1000 * ms, Thread: 2}}, 0},
		{"at half the clock a third is left", highest / 2, []Sample{{At: 1000 * ms}}, 50.0 / 3},
	} {
		l := NewLog(shares, highest, quantum)
		for _, s := range c.samples {
			if s.Thread == 0 {
				s.Thread = 1
			}
			l.Take(s)
		}
		got := l.Extend(epoch(1000*ms, 1100*ms, 1), c.clock)
		v := got.Rows[0].Values
		if len(v) != 2 || v[0] != 7 || math.Abs(float64(v[1])/1e6-c.want) > 1e-3 {
			t.Errorf("%s: %v, want %v ms", c.name, v, c.want)
		}
	}
}

// TestExitEndsWhatIsKnown: the last sample of a thread says nothing of the next thread that has its
// id. That one's own samples may have come before the epoch in which the first ended.
func TestExitEndsWhatIsKnown(t *testing.T) {
	l := NewLog(Shares{Frequency: highest, Share: []float64{0.5}}, highest, quantum)
	l.Take(Sample{Thread: 1, At: 1000 * ms})
	l.Take(Sample{Thread: 1, At: 1030 * ms})
	first := epoch(1000*ms, 1010*ms, 1)
	first.Ends = []epochs.End{{Kind: epochs.EndExit, Thread: 1, By: epochs.NoThread}}
	for _, c := range []struct {
		e    *epochs.Epoch
		want float64 // ms
	}{{first, 5}, {epoch(1010*ms, 1020*ms, 1), 0}, {epoch(1020*ms, 1040*ms, 1), 5}} {
		got := float64(l.Extend(c.e, highest).Rows[0].Values[1]) / 1e6
		if math.Abs(got-c.want) > 1e-3 {
			t.Errorf("epoch at %d ms: %.3f ms do not scale, want %.0f", c.e.Start/1e6, got, c.want)
		}
	}
}

// TestSplitsAgree: cut into any pieces, an epoch has the same time that does not scale.
func TestSplitsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		shares := Shares{Frequency: highest, Share: []float64{0.9, 0.3}}
		whole, pieces := NewLog(shares, highest, quantum), NewLog(shares, highest, quantum)
		for at := 900 * ms; at < 1300*ms; at += units.Instant(rng.Int64N(int64(80 * ms))) {
			s := Sample{At: at, Thread: 1, Function: FunctionNumber(rng.IntN(4) - 1)}
			whole.Take(s)
			pieces.Take(s)
		}
		want := whole.Extend(epoch(1000*ms, 1200*ms, 1), highest).Rows[0].Values[1]
		var sum int64
		for at := 1000 * ms; at < 1200*ms; {
			next := min(at+1+units.Instant(rng.Int64N(int64(30*ms))), 1200*ms)
			sum += pieces.Extend(epoch(at, next, 1), highest).Rows[0].Values[1]
			at = next
		}
		if d := sum - want; d < -500 || d > 500 { // rounding
			t.Fatalf("%d ns in pieces, %d in one", sum, want)
		}
		if whole.Coverage() != pieces.Coverage() {
			t.Fatalf("%+v in pieces, %+v in one", pieces.Coverage(), whole.Coverage())
		}
	}
}

// TestBounds: any number of threads and samples is taken, and old threads make room.
func TestBounds(t *testing.T) {
	l := NewLog(Shares{Frequency: highest, Share: []float64{1}}, highest, quantum)
	for i := range 3 * maxLogged {
		l.Take(Sample{At: units.Instant(i/maxLogged) * 100 * ms, Thread: epochs.TID(i)})
	}
	if len(l.threads) > maxLogged {
		t.Errorf("%d threads", len(l.threads))
	}
	for i := range 3 * maxSamples {
		l.Take(Sample{At: 300*ms + units.Instant(i), Thread: 3*maxLogged - 1})
	}
	if n := len(l.threads[3*maxLogged-1].samples); n > maxSamples {
		t.Errorf("%d samples", n)
	}
	if e := l.Extend(epoch(300*ms, 301*ms, 3*maxLogged-1), highest); e.Rows[0].Values[1] == 0 {
		t.Error("nothing is known of a thread with samples")
	}
}

// TestShares: shares that make no sense are refused.
func TestShares(t *testing.T) {
	for _, s := range []Shares{{}, {Frequency: highest}, {Frequency: 5, Share: []float64{0}},
		{Frequency: highest, Share: []float64{-1}}, {Frequency: highest, Share: []float64{1.1}},
		{Frequency: highest, Share: []float64{math.NaN()}},
		{Frequency: highest, Share: make([]float64, MaxFunctions+1)}} {
		if s.Validate() == nil {
			t.Errorf("%v, %d shares: taken", s.Frequency, len(s.Share))
		}
	}
	if err := (&Shares{Frequency: highest, Share: []float64{0, 1}}).Validate(); err != nil {
		t.Error(err)
	}
}

// BenchmarkSample: a sample and the millisecond behind it.
func BenchmarkSample(b *testing.B) {
	l := NewLog(Shares{Frequency: highest, Share: []float64{0.5, 0}}, highest, quantum)
	e := epoch(0, ms, 1)
	var advance Advance
	for i := range advance {
		advance[i] = Advanced(0, uint64(i))
	}
	for i := range b.N {
		at := units.Instant(i) * ms
		e.Start = epochs.Ticks(at)
		l.Take(Sample{At: at, Thread: 1, Function: FunctionNumber(i / 20 % 2), Advance: advance})
		l.Extend(e, highest/2)
	}
}
