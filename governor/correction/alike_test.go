package correction

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor"
)

// TestAlikeIsOfEachThread: two quanta whose threads differ only in how much of the work each did
// are alike. Where each thread takes longer by one factor, so do the quanta. Threads of one quantum
// alone say nothing, and where they did most of the work the quanta are compared as a whole.
func TestAlikeIsOfEachThread(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		c := NewCorrector(true, true, false)
		longer, more := 1+rng.Float64(), 1+rng.Float64()
		sum := func(threads []predictor.ThreadTime) (s Stretch) {
			run, time, n, reads := 0.0, 0.0, 0.0, 0.0
			for _, x := range threads {
				run, time, n, reads = run+x.Run, time+x.Time, n+x.Instructions, reads+x.Reads
			}
			return Stretch{Time: time / n, Change: math.Log(run / time), Intensity: reads / n}
		}
		for i := range 2 + rng.IntN(5) {
			time, change, reads := 1+5*rng.Float64(), 1+rng.Float64(), rng.Float64()
			work := func(t epochs.TID, time, reads float64) predictor.ThreadTime {
				n := 1e6 * (1 + 9*rng.Float64())
				return predictor.ThreadTime{Thread: t, Run: n * time * change, Time: n * time,
					Instructions: n, Reads: n * reads}
			}
			id := epochs.TID(10 * i)
			c.before = append(c.before, work(id, time, reads))
			c.threads = append(c.threads, work(id, time*longer, reads*more))
			if rng.IntN(4) == 0 {
				other := work(id+1, time, reads)
				other.Run *= 0.1
				c.before = append(c.before, other)
			}
		}
		last, now := sum(c.before), sum(c.threads)
		like := now
		c.alike(&last, &like)
		if math.Abs(like.Time/last.Time/longer-1) > 1e-9 ||
			math.Abs(like.Intensity/last.Intensity/more-1) > 1e-9 ||
			math.Abs(like.Change-last.Change) > 1e-9 {
			t.Fatalf("seed %d: %+v after %+v, each thread takes %.3f times as long and reads %.3f "+
				"times as much", seed, like, last, longer, more)
		}
		c.threads = append(c.threads, predictor.ThreadTime{Thread: 1e6, Run: 1e12, Time: 1e12,
			Instructions: 1e9})
		like = now
		if c.alike(&last, &like); like != now {
			t.Fatalf("seed %d: compared though another thread did most of the work", seed)
		}
	}
}

// TestAlikeOfReusedIDs: a thread that ended and one that got its id later are not the same thread,
// whether the second began in the quantum of the first or in the next.
func TestAlikeOfReusedIDs(t *testing.T) {
	thread := func(time float64, ended, follows bool) predictor.ThreadTime {
		return predictor.ThreadTime{Thread: 7, Run: time, Time: time, Instructions: 1e6,
			Ended: ended, Follows: follows}
	}
	for _, tt := range []struct {
		name          string
		before, after []predictor.ThreadTime
	}{
		{"the second began in the quantum before",
			[]predictor.ThreadTime{thread(9e6, true, false), thread(2e6, false, true)},
			[]predictor.ThreadTime{thread(3e6, false, false)}},
		{"the other order of the same",
			[]predictor.ThreadTime{thread(2e6, false, true), thread(9e6, true, false)},
			[]predictor.ThreadTime{thread(3e6, false, false)}},
		{"the second begins in this quantum",
			[]predictor.ThreadTime{thread(2e6, false, false)},
			[]predictor.ThreadTime{thread(3e6, true, false), thread(1e6, false, true)}},
	} {
		c := NewCorrector(true, true, false)
		c.before, c.threads = tt.before, tt.after
		last, like := Stretch{Time: 2, Intensity: 1}, Stretch{Time: 4, Intensity: 1}
		c.alike(&last, &like)
		if math.Abs(like.Time/last.Time/1.5-1) > 1e-9 {
			t.Errorf("%s: %.3f times as long, the one thread of both took 1.5 times", tt.name,
				like.Time/last.Time)
		}
	}
	c := NewCorrector(true, true, false)
	c.before = []predictor.ThreadTime{thread(2e6, true, false)}
	c.threads = []predictor.ThreadTime{thread(3e6, false, false)}
	last, like := Stretch{Time: 2, Intensity: 1}, Stretch{Time: 4, Intensity: 1}
	if c.alike(&last, &like); like.Time != 4 {
		t.Errorf("a thread is compared with one that ended before it: %.3f for 4", like.Time)
	}
}
