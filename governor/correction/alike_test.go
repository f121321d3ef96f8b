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
		c := NewCorrector(true, true)
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
