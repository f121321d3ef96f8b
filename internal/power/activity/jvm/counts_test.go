package jvm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/units"
)

// TestDepthOfFigure3: the paper's example has the depths 1, 2, 3, 2; its scripts make 1, 2, 3, 1 of
// it.
func TestDepthOfFigure3(t *testing.T) {
	steps := []struct{ begun, ended uint64 }{{1, 0}, {1, 0}, {1, 1}, {0, 1}}
	for depth, want := range map[Depth][]uint64{DepthPaper: {1, 2, 3, 2},
		DepthArtifact: {1, 2, 3, 1}} {
		var a account
		r := reading{At: 1, Counts: []Count{{}}}
		a.next(r)
		var got []uint64
		for _, s := range steps {
			r = reading{At: r.At.Add(time.Second), Counts: []Count{{
				Begun: r.Counts[0].Begun + s.begun, Ended: r.Counts[0].Ended + s.ended}}}
			w := a.next(r)
			got = append(got, w[0].depth(depth))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d, want %d", depth, got, want)
		}
	}
}

// TestTimes: over many random begins and ends on several CPUs, the sums of stamps say the time that
// a dumb account of every open event says, whatever is open, however often the low bits overflow.
func TestTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(devtest.Seed(t), 1))
	entries := make([]entry, 4)
	now, open, most := units.Instant(r.Uint64N(1<<62)), 0, 0
	spent := time.Duration(0)
	var a account
	a.next(reading{At: now, Counts: []Count{summed(entries, now)}})
	from, before := now, spent
	for i := range 60_000 {
		step := time.Duration(r.IntN(1000))
		now, spent = now.Add(step), spent+time.Duration(open)*step
		most = max(most, open)
		e := &entries[r.IntN(len(entries))]
		stamp := uint64(now)<<stampBits | 1
		// It rises beyond what the low bits can say, and falls again.
		if begins := r.IntN(100) < 90; begins == (i < 40_000) || open == 0 {
			open++
			e.Begun++
			e.Stamps -= stamp
		} else {
			open--
			e.Ended++
			e.Stamps += stamp
		}
		if i%500 != 499 {
			continue
		}
		w := a.next(reading{At: now, Counts: []Count{summed(entries, now)}})
		want := (spent - before).Seconds() / now.Sub(from).Seconds()
		// A stamp's carry into the time is 1 ns for each overflow.
		if math.Abs(w[0].Threads-want) > 1e-3*math.Abs(want)+1e-3 {
			t.Fatalf("window to %v: %v threads, want %v", now, w[0].Threads, want)
		}
		from, before = now, spent
	}
	if most <= 1<<stampBits {
		t.Errorf("only %d were open", most)
	}
}

// TestRanBefore: ends without begins are of events that were open before the first reading.
func TestRanBefore(t *testing.T) {
	stamp := func(at units.Instant) uint64 { return uint64(at)<<stampBits | 1 }
	var a account
	second := units.Instant(time.Second)
	a.next(reading{At: second, Counts: []Count{summed([]entry{{}}, second)}})
	e := []entry{{Ended: 2, Stamps: 2 * stamp(second+second/2)}}
	w := a.next(reading{At: 2 * second, Counts: []Count{summed(e, 2*second)}})
	if w[0].Open != 2 || w[0].depth(DepthPaper) != 2 || math.Abs(w[0].Threads-1) > 1e-6 {
		t.Errorf("%+v", w[0])
	}
}

// TestInputs: names lead back to their events, and each name gets its value.
func TestInputs(t *testing.T) {
	for _, d := range []Depth{DepthPaper, DepthArtifact} {
		names := Names(VESTA, d)
		if got := EventsOf(append([]string{"cpu_busy"}, names...)); !slices.Equal(got, VESTA) {
			t.Errorf("%s: %q", d, got)
		}
		in := map[string]float64{}
		put(in, []string{"gc"}, []window{{Begun: 6, Ended: 5, Open: 2, Threads: 0.5}},
			2*time.Second)
		want := []float64{3, 5, 0.5} // begins and depth are per second
		if d == DepthArtifact {
			want[1] = 5 // at the end 3 are open, and min(N, X) is 5: 2 + (3 + 5 - 2) / 2
		}
		for i, name := range Names([]string{"gc"}, d) {
			if in[name] != want[i] {
				t.Errorf("%s: %v, want %v", name, in[name], want[i])
			}
		}
	}
	if EventOf("jvm_gc") != "" || EventOf("gc_count") != "" {
		t.Error("another name is an event's")
	}
}
