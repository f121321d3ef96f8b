package epochs

import (
	"math/rand/v2"

	"github.com/ebb-energy/ebb/units"
)

// withCuts puts quantum ends among ordered events.
func withCuts(rng *rand.Rand, events []Event, begin int64) []Event {
	q := 20 + rng.Int64N(400)
	next := begin + q
	var out []Event
	for _, ev := range events {
		for int64(ev.At) > next && ev.Kind != Lost {
			out = append(out, Event{Kind: testCut, At: units.Instant(next), Thread: NoThread})
			next += q
		}
		out = append(out, ev)
	}
	return out
}

// spoil drops events, with or without a report of the loss, and makes some up.
func spoil(rng *rand.Rand, events []Event) []Event {
	var out []Event
	var dropped uint64
	reported := rng.IntN(3) > 0
	rate := 2 + rng.IntN(30)
	for _, ev := range events {
		if rng.IntN(rate) == 0 {
			dropped++
			continue
		}
		if dropped > 0 && reported && rng.IntN(4) == 0 {
			out = append(out, Event{Kind: Lost, At: ev.At, Count: dropped})
			dropped = 0
		}
		switch rng.IntN(6 * rate) {
		case 0:
			out = append(out, randomEvent(rng, int64(ev.At)))
		case 1:
			ev.At -= units.Instant(rng.Int64N(30))
		case 2:
			ev.From += units.Instant(rng.Int64N(60) - 30)
		case 3:
			out = append(out, ev)
		}
		if ev.At < 1001 {
			ev.At = 1001
		}
		out = append(out, ev)
	}
	return out
}

func randomEvent(rng *rand.Rand, near int64) Event {
	return Event{
		Kind:   []Kind{On, Off, Slice, Fork, Exec, Exit}[rng.IntN(6)],
		At:     units.Instant(near + rng.Int64N(40) - 20),
		From:   units.Instant(near + rng.Int64N(80) - 70),
		Thread: TID(rng.IntN(8)), By: TID(rng.IntN(8)), CPU: int16(rng.IntN(4)),
		Cause: Cause(rng.IntN(10)),
	}
}
