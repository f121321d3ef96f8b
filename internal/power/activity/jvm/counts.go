package jvm

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// stampBits is STAMP_BITS of events.bpf.c.
const stampBits = 14

// Count holds what was counted of one event since the programs were loaded. Time is the sum of its
// threads' times in the event, in ns modulo 2^50: only differences mean something.
type Count struct {
	Begun, Ended uint64
	Time         uint64
}

// entry is a CPU's part; its layout is struct count in events.bpf.c.
type entry struct{ Begun, Ended, Stamps uint64 }

// summed adds the entries of all CPUs up. An event that has begun lasts until now.
func summed(entries []entry, now units.Instant) Count {
	var sum entry
	for i := range entries {
		sum.Begun += entries[i].Begun
		sum.Ended += entries[i].Ended
		sum.Stamps += entries[i].Stamps
	}
	// The stamps' low bits say how many were open when the last stamp came, up to a multiple. The
	// counts, which other CPUs may have changed meanwhile, decide which.
	open := int64(sum.Begun - sum.Ended)
	low := -(int64(sum.Stamps<<(64-stampBits)) >> (64 - stampBits))
	open += (low - open) << (64 - stampBits) >> (64 - stampBits)
	stamps := sum.Stamps + uint64(open)*(uint64(now)<<stampBits|1)
	return Count{Begun: sum.Begun, Ended: sum.Ended, Time: stamps >> stampBits}
}

// reading holds the counts of all events at one moment.
type reading struct {
	At     units.Instant
	Counts []Count // in the order of the events
}

// window holds what one event did in a window of time.
type window struct {
	Begun, Ended uint64
	Open         uint64 // number that were open at the window's begin
	Threads      float64
}

// depth returns how many of the event were open at some time of the window, as d counts them.
func (w *window) depth(d Depth) uint64 {
	if d == DepthArtifact {
		// AIS + min(N, X), where AIS is what is open at the end.
		return w.Open + w.Begun - w.Ended + min(w.Begun, w.Ended)
	}
	return w.Open + w.Begun
}

// account makes windows of readings. AIS, the events that are open, begins with none, whatever is
// open at the first reading; where more end than began since, as in a JVM that ran before, so many
// had been open. It is for one goroutine.
type account struct {
	last   reading
	zero   []int64 // begins less ends at the first reading, less what is known to have been open
	out    []window
	counts bool
}

// next returns the windows of the events since the reading before; nil for the first reading. They
// are valid until the next call.
func (a *account) next(r reading) []window {
	last := a.last
	a.last = r
	if last.Counts == nil || len(last.Counts) != len(r.Counts) {
		a.zero = make([]int64, len(r.Counts))
		for i, c := range r.Counts {
			a.zero[i] = int64(c.Begun - c.Ended)
		}
		return nil
	}
	a.out = a.out[:0]
	wall := r.At.Sub(last.At)
	for i, c := range r.Counts {
		before := &last.Counts[i]
		a.counts = a.counts || c.Begun != before.Begun || c.Ended != before.Ended
		a.zero[i] = min(a.zero[i], int64(c.Begun-c.Ended), int64(before.Begun-before.Ended))
		w := window{Begun: c.Begun - before.Begun, Ended: c.Ended - before.Ended,
			Open: uint64(int64(before.Begun-before.Ended) - a.zero[i])}
		if wall > 0 {
			spent := elapsed(before.Time, c.Time) - time.Duration(a.zero[i])*wall
			w.Threads = max(spent, 0).Seconds() / wall.Seconds()
		}
		a.out = append(a.out, w)
	}
	return a.out
}

// Counts reports whether anything was counted in a window so far.
func (a *account) Counts() bool { return a.counts }

// elapsed returns the difference of two times modulo 2^50.
func elapsed(from, to uint64) time.Duration {
	return time.Duration(int64((to-from)<<stampBits) >> stampBits)
}

// put puts the windows of events into a window's inputs, by name. Wall is the window's length.
// Counts are per second; the depth is what was open at the begin and what began in a second.
func put(in map[string]float64, events []string, windows []window, wall time.Duration) {
	if wall <= 0 {
		return
	}
	for i, e := range events {
		w := &windows[i]
		rate := func(d Depth) float64 {
			return float64(w.Open) + float64(int64(w.depth(d)-w.Open))/wall.Seconds()
		}
		in[prefix+e+endCount] = float64(w.Begun) / wall.Seconds()
		in[prefix+e+endDepth] = rate(DepthPaper)
		in[prefix+e+endArtifact] = rate(DepthArtifact)
		in[prefix+e+endThreads] = w.Threads
	}
}

// putNone puts zeros into a window's inputs for all events.
func putNone(in map[string]float64, events []string) {
	for _, e := range events {
		for _, ending := range []string{endCount, endDepth, endArtifact, endThreads} {
			in[prefix+e+ending] = 0
		}
	}
}
