package epochs

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// fuzzBegin leaves room before it for slices that began earlier.
const fuzzBegin = 1000

// decodeEvents makes events of bytes, seven for each, with few threads, CPUs and instants, so that
// they collide.
func decodeEvents(data []byte) (events []Event, end int64) {
	at := int64(fuzzBegin)
	end = at
	for ; len(data) >= 7 && len(events) < 400; data = data[7:] {
		at = max(fuzzBegin, at+int64(int8(data[1]))%32)
		ev := Event{
			Kind: Kind(data[0]%7) + On, At: units.Instant(at),
			From:   units.Instant(at - int64(int8(data[2]))%64 - 16),
			Thread: TID(data[3] % 8), By: TID(data[3]>>4%8) - 1, CPU: int16(data[4]%5) - 1,
			Cause: Cause(data[5] % 10),
			Count: uint64(data[6] % 4),
		}
		for i := range ev.Counters {
			ev.Counters[i] = uint64(data[6]) * uint64(i*i+1)
		}
		if ev.Kind == Tick {
			ev.Kind = Off
		}
		end = max(end, at)
		events = append(events, ev)
	}
	return events, end + 5
}

// encodeEvents is an input for which decodeEvents gives something like a run of s.
func encodeEvents(s *schedule) (data []byte) {
	at := int64(fuzzBegin)
	for _, ev := range s.events {
		step := int64(ev.At) - at
		at += step % 32
		data = append(data, byte(ev.Kind-On), byte(step%32), byte((ev.At-ev.From)%64-16),
			byte(ev.Thread), byte(ev.CPU+1),
			byte(ev.Cause), byte(ev.Counters[0]))
	}
	return data
}

// FuzzAssembler holds the Assembler against the reference, whatever the events.
func FuzzAssembler(f *testing.F) {
	for seed := range uint64(4) {
		s := newSchedule(rand.New(rand.NewPCG(seed, 5)))
		for range 60 {
			s.step()
		}
		f.Add(encodeEvents(s), uint8(seed), uint8(seed*40))
	}
	f.Fuzz(func(t *testing.T, data []byte, counters, resync uint8) {
		arrived, end := decodeEvents(data)
		events, _ := ordered(arrived, end)
		n := int(counters) % (MaxCounters + 1)
		a := newTestAssembler(t, Config{Counters: n, Resync: time.Duration(resync)})
		a.Begin(fuzzBegin)
		feed(a, events)
		a.Finish(units.Instant(end))
		if sum := sumDur(a.epochs); sum != Ticks(end-fuzzBegin) {
			t.Fatalf("epochs add up to %d, want %d", sum, end-fuzzBegin)
		}
		if err := differ(a.epochs, referenceEpochs(n, int64(resync), fuzzBegin, end, events),
			true); err != nil {
			t.Fatal(err)
		}
	})
}

// TestAssemblerNeverFails calls an Assembler in any order, with any numbers.
func TestAssemblerNeverFails(t *testing.T) {
	extremes := []int64{0, 1, -1, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64,
		math.MinInt64 + 1}
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 6))
		number := func() int64 {
			if rng.IntN(4) == 0 {
				return extremes[rng.IntN(len(extremes))]
			}
			return rng.Int64N(2000)
		}
		a := newTestAssembler(t, Config{Counters: rng.IntN(MaxCounters + 1),
			Resync: time.Duration(number()), MaxEpochs: 1 + rng.IntN(20)})
		r := NewReorder(1+rng.IntN(50), a.Push)
		push := []func(*Event){a.Push, r.Push}[rng.IntN(2)]
		for range 200 {
			at := units.Instant(number())
			switch rng.IntN(30) {
			case 0:
				a.Begin(at)
			case 1:
				a.Cut(at)
			case 2:
				a.Complete(at)
				a.Force(at)
			case 3:
				a.Suspend(at)
			case 4:
				a.Resume(at)
			case 5:
				a.Finish(at)
			default:
				ev := randomEvent(rng, 1000)
				ev.Kind = Kind(rng.IntN(12))
				ev.At, ev.From = at, units.Instant(number())
				ev.CPU, ev.Thread = int16(rng.IntN(9)-2), TID(rng.IntN(9)-2)
				ev.Counters[0] = uint64(number())
				push(&ev)
			}
		}
		a.Finish(math.MaxInt64)
		if a.pending.head != a.pending.tail || len(a.threads.order) != 0 {
			t.Fatalf("seed %d: something is left", seed)
		}
	}
}

// TestLossIsSeen has ticks and cuts confirm epochs before a loss is reported: some epoch shows the
// loss all the same.
func TestLossIsSeen(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s := newSchedule(rng)
		begin := s.now
		for range 1 + rng.IntN(120) {
			s.step()
		}
		end := s.now + 100
		events, _ := ordered(spoil(rng, s.arrivals(rng.Int64N(200))), end)
		events = withCuts(rng, events, begin)
		n := rng.IntN(MaxCounters + 1)
		a := newTestAssembler(t, Config{Counters: n})
		a.Begin(units.Instant(begin))
		feed(a, events)
		a.Finish(units.Instant(end))
		want := referenceEpochs(n, 0, begin, end, events)
		if err := differ(a.epochs, want, false); err != nil {
			t.Fatalf("seed %d, %d counters: %v", seed, n, err)
		}
		holes := [2]int{}
		for i := range want {
			for k, e := range []*Epoch{&want[i], &a.epochs[i]} {
				if e.Hole {
					holes[k]++
				}
			}
		}
		if (holes[0] > 0) != (holes[1] > 0) {
			t.Fatalf("seed %d: %d epochs should be holes, %d are", seed, holes[0], holes[1])
		}
	}
}
