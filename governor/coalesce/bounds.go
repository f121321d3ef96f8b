package coalesce

import (
	"math"
	"time"
)

// Work is what a program did in a time, according to the records of its threads.
type Work struct {
	Time time.Duration
	Run  time.Duration // run time of all its threads
	// Counted is the part of Run in which Instructions and Requests to memory were counted. These
	// are 0 where nothing counts them.
	Counted                time.Duration
	Switches               uint64 // number of times that one of its threads left a CPU
	Instructions, Requests uint64
}

// Span is a range of numbers, including both ends.
type Span struct{ Low, High uint64 }

// all is the span of all numbers.
var all = Span{High: math.MaxUint64}

// has reports whether x is in the span.
func (s Span) has(x uint64) bool { return s.Low <= x && x <= s.High }

// Bounds are the limits within which a program's work must stay. They bound rates in whole numbers,
// so that programs in the kernel can check them:
//
//	Run       run time over time, in 1/2^16
//	Switches  switches in 2^30 ns
//	Pace      instructions over counted run time in ns, in 1/2^16
//	Requests  requests over instructions, in 1/2^20
//
// A rate over nothing is within every bound. Counters that have stopped make a pace of 0.
type Bounds struct{ Run, Switches, Pace, Requests Span }

// The units of the bounds, as shifts.
const (
	runShift, switchShift, paceShift, requestShift = 16, 30, 16, 20
)

// open returns bounds that every work is within.
func open() Bounds { return Bounds{Run: all, Switches: all, Pace: all, Requests: all} }

// rates returns the four rates that bounds limit.
func (w *Work) rates() [4]uint64 {
	per := func(n, of uint64, shift int) uint64 {
		if of == 0 {
			return 0
		}
		return n << shift / of
	}
	return [...]uint64{
		per(uint64(w.Run), uint64(w.Time), runShift),
		per(w.Switches, uint64(w.Time), switchShift),
		per(w.Instructions, uint64(w.Counted), paceShift),
		per(w.Requests, w.Instructions, requestShift),
	}
}

// Hold reports whether the work is within the bounds.
func (b *Bounds) Hold(w *Work) bool {
	if w.Time <= 0 {
		return true
	}
	r := w.rates()
	return b.Run.has(r[0]) && b.Switches.has(r[1]) &&
		(w.Counted == 0 || b.Pace.has(r[2]) && (w.Instructions == 0 || b.Requests.has(r[3])))
}

const (
	// runShare is the part, 1/runShare, by which run time may differ, besides runRoom. The clock of
	// a program that runs part of the time depends on how it runs, and not on how long.
	runShare, runRoom = 4, 1 << runShift / 32
	// switchRoom is the number of switches in a step of the grid by which they may differ, besides
	// a half.
	switchRoom = 4
	// paceShare and requestShare are the parts by which pace and requests may differ. requestRoom
	// stands for one request in ten thousand instructions, which takes a few percent of the time.
	paceShare, requestShare, requestRoom = 8, 4, 1 << requestShift / 10000
)

// around returns bounds around the rates of some work. Step is the length of a step of the grid.
func around(w *Work, step time.Duration) Bounds {
	r := w.rates()
	span := func(x, share, room uint64) Span {
		d := x/share + room
		return Span{Low: x - min(x, d), High: x + d}
	}
	b := Bounds{Run: span(r[0], runShare, runRoom), Pace: all, Requests: all,
		Switches: span(r[1], 2, switchRoom<<switchShift/uint64(max(step, 1)))}
	b.Switches.High += r[1] / 2
	if w.Instructions > 0 && w.Counted > 0 {
		b.Pace = span(r[2], paceShare, 1)
		b.Requests = span(r[3], requestShare, requestRoom)
	}
	return b
}
