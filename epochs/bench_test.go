package epochs

import (
	"fmt"
	"testing"

	"github.com/ebb-energy/ebb/units"
)

// contention is a stretch of events that can be repeated for ever: threads threads run at a time,
// each on its CPU; one of them after the other goes to sleep, and another takes its CPU. It ends
// with a Tick, as a drained ring buffer does.
func contention(threads int) (events []Event, period units.Instant) {
	const rounds = 40
	from := make([]units.Instant, 2*threads)
	running := make([]int, threads)
	for i := range running {
		running[i] = i
	}
	now := units.Instant(0)
	for range rounds {
		for cpu := range threads {
			now += 700
			out := running[cpu]
			in := (out + threads) % (2 * threads)
			events = append(events,
				Event{Kind: Off, At: now, From: from[out], Thread: TID(out), By: NoThread,
					CPU: int16(cpu), Cause: FutexSleep,
					Counters: [MaxCounters]uint64{2_400_000, 3_000_000, 100_000, 300_000, 70_000,
						50_000}},
				Event{Kind: On, At: now, Thread: TID(in), By: TID(running[(cpu+1)%threads]),
					CPU: int16(cpu), Cause: Woken})
			from[in], running[cpu] = now, in
		}
	}
	for i, ev := range events {
		// The first slices began in the repetition before.
		if ev.Kind == Off && ev.From == 0 {
			events[i].From = from[ev.Thread] - now
		}
	}
	return append(events, Event{Kind: Tick, At: now}), now
}

// BenchmarkAssembler measures the assembler alone: rows are epochs times their running threads.
func BenchmarkAssembler(b *testing.B) {
	for _, threads := range []int{4, 8, 64} {
		for _, counters := range []int{0, 6} {
			b.Run(fmt.Sprintf("threads=%d/counters=%d", threads, counters), func(b *testing.B) {
				a := newTestAssembler(b, Config{Counters: counters})
				a.take = func(*Epoch) {}
				benchmark(b, threads, a.Push, a)
			})
		}
	}
}

// BenchmarkReorderAssembler has the events go through a Reorder first.
func BenchmarkReorderAssembler(b *testing.B) {
	a := newTestAssembler(b, Config{Counters: 6})
	a.take = func(*Epoch) {}
	r := NewReorder(0, a.Push)
	benchmark(b, 8, r.Push, a)
}

func benchmark(b *testing.B, threads int, push func(*Event), a *drained) {
	events, period := contention(threads)
	shift := period
	ev := new(Event)
	repeat := func() {
		for i := range events {
			*ev = events[i]
			ev.At += shift
			if ev.Kind == Off {
				ev.From += shift
			}
			push(ev)
		}
		shift += period
	}
	for cpu := range threads {
		push(&Event{Kind: On, At: shift, Thread: TID(cpu), CPU: int16(cpu), Cause: Seen})
	}
	a.Begin(shift)
	for range 10 {
		repeat()
	}
	before := a.Stats()
	b.ReportAllocs()
	for b.Loop() {
		repeat()
	}
	st := a.Stats()
	rows := float64(st.Rows - before.Rows)
	b.ReportMetric(rows/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/rows, "ns/row")
	if st.Holes > 1 {
		b.Fatalf("%+v", st)
	}
}
