package simtest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ebb-energy/ebb/epochs"
)

// Other is a thread of another program. It stays on one core, moves no memory, and makes no record.
// It counts in the cores' busy time and their energy.
type Other struct {
	Core  int
	Share float64       // share of the core's time that it wants, above 0; with 1 it never sleeps
	Burst time.Duration // time that it runs at once; 0 for 4 ms. It sleeps between bursts.
	// Weight is the ratio of its time slice to that of the program's threads, as other nice levels
	// have it; 0 for 1.
	Weight float64
	// Clocked has it do the same work at every frequency, so that its bursts last longer at a lower
	// one. Otherwise they last as long.
	Clocked bool
}

const defaultBurst = 4 * time.Millisecond

func (o *Other) validate(cores int) error {
	switch {
	case o.Core < 0 || o.Core >= cores:
		return fmt.Errorf("another program on core %d of %d", o.Core, cores)
	case !(o.Share > 0 && o.Share <= 1):
		return fmt.Errorf("another program that wants %v of a core", o.Share)
	case o.Burst < 0 || o.Weight < 0:
		return fmt.Errorf("another program with bursts of %v and weight %v", o.Burst, o.Weight)
	}
	return nil
}

// Seed of the other programs' generators, and the id of their first thread: no record has it.
const (
	otherSeed  = 0x6f746865
	firstOther = 1 << 20
)

// addOther starts a thread of another program at a random time of its first burst.
func (m *Computer) addOther(o Other, place int) {
	if o.Burst == 0 {
		o.Burst = defaultBurst
	}
	now := m.instant()
	t := &Thread{id: epochs.TID(firstOther + place), name: "other", role: other, m: m,
		state: waking, since: now, wokenBy: epochs.NoThread, cause: epochs.Started,
		pinned: m.cores[o.Core], weight: o.Weight,
		rng: rand.New(rand.NewPCG(m.options.Seed, otherSeed+uint64(place)))}
	newCoroutine(t, func(t *Thread) {
		pause := float64(o.Burst) * (1/o.Share - 1)
		for {
			// Bursts that were all alike could keep step with the program.
			x := 0.5 + t.rng.Float64()
			s := segment{mix: &kernelMix, scale: 1, left: 1, kind: kernelSegment}
			if o.Clocked {
				s.cycles = x * float64(o.Burst) * m.reference
			} else {
				s.ns = x * float64(o.Burst)
			}
			t.begin(s)
			t.body.leave()
			if o.Share < 1 {
				t.Sleep(time.Duration(x * pause))
			}
		}
	})
	m.others = append(m.others, t)
	m.timers.add(m.now+toPS(time.Duration(t.rng.Float64()*float64(o.Burst))),
		timer{kind: timerWake, thread: t})
}

// own reports whether c runs a thread of the program.
func (c *core) own() bool { return c.t != nil && c.t.role != other }
