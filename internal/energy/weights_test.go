package energy

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// worth returns the number of samples of equal weight that carry as much information as one sample
// of a thread. The thread has 20 s of CPU time, in turns on and off the CPU; a sample represents
// period of that time. looks are the CPU times from one sample to the next.
func worth(
	t *testing.T, period time.Duration, turns func(*rand.Rand) (on,
		off time.Duration), looks func(*rand.Rand) time.Duration,
) float64 {
	t.Helper()
	const length = 20 * time.Second
	r := rand.New(rand.NewPCG(1, 60))
	l := New([]Zone{{Name: "package-0", CPUs: []CPU{0}}}, rule(t, "ledger"), period)
	b := NewBuilder(nil, func(w *Window) {
		if err := l.Book(w); err != nil {
			t.Fatal(err)
		}
	})
	b.Begin(0)
	var now, ran, since time.Duration // since: of ran, what the next reading has
	next, cut := looks(r), meterPeriod
	reading := func() {
		b.Reading(units.Instant(cut), []units.Energy{corePower.For(since)}, nil)
		b.Delivered(units.Instant(cut))
		cut, since = cut+meterPeriod, 0
	}
	for ran < length {
		on, off := turns(r)
		for on > 0 {
			step := min(on, cut-now)
			for ; next <= ran+step; next += looks(r) {
				b.Sample(Sample{Thread: 1, At: units.Instant(now + next - ran), Stack: 1})
			}
			b.Slice(Slice{Thread: 1, From: units.Instant(now), To: units.Instant(now + step)})
			if on, now, ran, since = on-step, now+step, ran+step, since+step; now == cut {
				reading()
			}
		}
		for now += off; cut <= now; {
			reading()
		}
	}
	l.Finish()
	if err := l.Check(); err != nil {
		t.Fatal(err)
	}
	e := l.Entries()[Unit{Thread: 1, Stack: 1}]
	return float64(e.Energy[0]) * float64(e.Energy[0]) / e.Squares / float64(e.Samples)
}

// TestSamplesWeighAlike: the place of a window's end between two samples hardly changes their
// weights, so that they carry as much information as equal ones, however the thread runs. With
// uneven sampling they carry more than if each window were divided for itself.
func TestSamplesWeighAlike(t *testing.T) {
	even := func(*rand.Rand) time.Duration { return samplePer }
	uneven := func(r *rand.Rand) time.Duration {
		return time.Duration(float64(samplePer) * r.ExpFloat64())
	}
	for name, turns := range map[string]func(*rand.Rand) (on, off time.Duration){
		"always": func(*rand.Rand) (on, off time.Duration) { return time.Second, 0 },
		"15 of 100 ms": func(*rand.Rand) (on, off time.Duration) {
			return 15 * time.Millisecond,
				85 * time.Millisecond
		},
		"busy machine": func(r *rand.Rand) (on, off time.Duration) {
			return time.Duration(4e6 * (1 + r.ExpFloat64())),
				time.Duration(40e6 * (1 + r.ExpFloat64()))
		},
	} {
		with, without := worth(t, samplePer, turns, even), worth(t, 0, turns, even)
		t.Logf("%s: a sample is worth %.3f, each window's for itself %.3f", name, with, without)
		if with < 0.99 {
			t.Errorf("%s: a sample is worth %.3f", name, with)
		}
		with, without = worth(t, samplePer, turns, uneven), worth(t, 0, turns, uneven)
		t.Logf("%s, sampled unevenly: a sample is worth %.3f, each window's for itself %.3f",
			name, with, without)
		if with < without+0.05 {
			t.Errorf(
				"%s, sampled unevenly: a sample is worth %.3f, each window's for itself %.3f",
				name, with, without,
			)
		}
	}
}

// TestSamplesWeighTheirPeriods: where the sampling rate changes within a window, a sample has
// energy in proportion to the time that it represents, and the interval knows it.
func TestSamplesWeighTheirPeriods(t *testing.T) {
	const period = 10 * time.Millisecond
	l := New([]Zone{{Name: "package-0", CPUs: []CPU{0}}}, rule(t, "ledger"), period)
	b := NewBuilder(nil, func(w *Window) {
		if err := l.Book(w); err != nil {
			t.Fatal(err)
		}
	})
	b.Begin(0)
	end := units.Instant(8 * period)
	b.Slice(Slice{Thread: 1, To: end})
	for i := range 4 {
		b.Sample(Sample{Thread: 1, At: units.Instant(i+1) * units.Instant(period), Stack: 1})
	}
	b.Sample(Sample{Thread: 1, At: end - 1, Stack: 2, Period: 4 * period})
	b.Reading(end, []units.Energy{8000}, nil)
	b.Delivered(end)
	one, other := l.Entries()[Unit{Thread: 1, Stack: 1}], l.Entries()[Unit{Thread: 1, Stack: 2}]
	if one.Energy[0] != 4000 || other.Energy[0] != 4000 || one.Time != 4*period ||
		other.Time != 4*period {
		t.Errorf("%+v, %+v", one, other)
	}
	if one.Squares != 4*1000*1000 || other.Squares != 4000*4000 {
		t.Errorf("squares %v, %v", one.Squares, other.Squares)
	}
}
