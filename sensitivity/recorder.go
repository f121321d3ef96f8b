package sensitivity

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Slice is a stretch of a thread's running time with what its counters say.
type Slice struct {
	Thread   epochs.TID
	From, To units.Instant
	Fixed    float64 // the part that does not scale, in ns
	Cycles   float64 // the clock cycles of the rest
	Clock    float64 // Hz
}

// Code is where a function is.
type Code struct {
	Name, Module, BuildID string
	Range                 Range
}

const (
	// hold is the longest time between two samples that leaves no doubt about what is between.
	hold = 50 * time.Millisecond
	// block is the running time whose slices are one observation for the interval: neighbours are
	// alike.
	block = 50 * time.Millisecond
	// leastBlocks is the number of observations without which the interval is everything.
	leastBlocks = 4
	// reach is that of an interval of 95 in 100, in standard deviations.
	reach = 1.96
	// maxWaiting bounds the slices of a thread that wait for a sample, and maxThreads the threads.
	maxWaiting, maxThreads = 1 << 12, 1 << 14
)

// Recorder joins slices with samples. A slice is a function's if the samples before and after it
// found the thread in that function, with no other one between. It is for one goroutine;
// NewRecorder makes one.
type Recorder struct {
	threads map[epochs.TID]*recorded
	codes   map[codeKey]int32
	sums    []sums
	cycles  float64
	time    float64 // of all slices, in ns
	mixed   float64 // the part of it between two functions, in ns
}

type codeKey struct {
	id    string
	start uint64
}

// recorded is a thread.
type recorded struct {
	fn          int32 // of the last sample; -1: not known
	begin, last units.Instant
	slices      []Slice
}

// sums are a function's.
type sums struct {
	code          Code
	n             int
	time          float64
	fixed, cycles float64
	blocks        []observation
}

// observation is the sum of a block.
type observation struct {
	from          units.Instant
	thread        epochs.TID
	fixed, cycles float64
}

// maxBlocks bounds the observations of a function. Later ones are added to the last.
const maxBlocks = 1 << 12

// NewRecorder makes a recorder that knows nothing.
func NewRecorder() *Recorder {
	return &Recorder{threads: map[epochs.TID]*recorded{}, codes: map[codeKey]int32{}}
}

// Function is the number of a function, -1 where there are too many.
func (r *Recorder) Function(c Code) int32 {
	key := codeKey{c.BuildID, c.Range.Start}
	fn, ok := r.codes[key]
	if !ok {
		if len(r.sums) >= 4*MaxFunctions {
			return -1
		}
		fn = int32(len(r.sums))
		r.codes[key], r.sums = fn, append(r.sums, sums{code: c})
	}
	return fn
}

func (r *Recorder) thread(id epochs.TID) *recorded {
	t := r.threads[id]
	if t == nil && len(r.threads) < maxThreads {
		t = &recorded{fn: -1}
		r.threads[id] = t
	}
	return t
}

// Slice adds a slice. Those of a thread come in order.
func (r *Recorder) Slice(s Slice) {
	d := float64(s.To - s.From)
	if !(d > 0) || !(s.Clock > 0) || !(s.Fixed >= 0) || !(s.Cycles >= 0) {
		return
	}
	r.time += d
	r.cycles += d * s.Clock / 1e9
	t := r.thread(s.Thread)
	if t == nil || len(t.slices) >= maxWaiting {
		r.mixed += d
		return
	}
	t.slices = append(t.slices, s)
}

// Sample says which function a thread was in, by the number that Function gave, or -1.
func (r *Recorder) Sample(thread epochs.TID, at units.Instant, fn int32) {
	t := r.thread(thread)
	if t == nil || at < t.last {
		return
	}
	same := fn >= 0 && fn == t.fn && at.Sub(t.last) <= hold
	n := 0
	for n < len(t.slices) && t.slices[n].To <= at {
		if s := &t.slices[n]; same && s.From >= t.begin {
			r.sums[fn].add(s)
		} else {
			r.mixed += float64(s.To - s.From)
		}
		n++
	}
	t.slices = slices.Delete(t.slices, 0, n)
	if !same {
		t.begin = at
	}
	t.fn, t.last = fn, at
}

// Exited forgets a thread.
func (r *Recorder) Exited(thread epochs.TID) { delete(r.threads, thread) }

func (f *sums) add(s *Slice) {
	f.n++
	f.time += float64(s.To - s.From)
	f.fixed += s.Fixed
	f.cycles += s.Cycles
	last := len(f.blocks) - 1
	if last < 0 || last+1 < maxBlocks && (f.blocks[last].thread != s.Thread ||
		s.From.Sub(f.blocks[last].from) >= block) {
		f.blocks = append(f.blocks, observation{from: s.From, thread: s.Thread})
		last++
	}
	f.blocks[last].fixed += s.Fixed
	f.blocks[last].cycles += s.Cycles
}

// Mixed is the part of the running time that was between two functions, or in none that is known.
func (r *Recorder) Mixed() float64 {
	if r.time == 0 {
		return 0
	}
	return r.mixed / r.time
}

// Table is what was found, the functions that ran longest first. Those without a build id are left
// out; dropped is their number.
func (r *Recorder) Table() (t Table, dropped int) {
	t.Version = Version
	if r.time > 0 {
		t.Hz = int64(math.Round(r.cycles/r.time*1e3) * 1e6)
	}
	for i := range r.sums {
		f := &r.sums[i]
		switch {
		case f.n == 0:
		case f.code.BuildID == "":
			dropped++
		default:
			t.Functions = append(t.Functions, f.function(float64(t.Hz)))
		}
	}
	slices.SortStableFunc(t.Functions, func(a, b Function) int {
		return cmp.Compare(b.TimeNS, a.TimeNS)
	})
	t.Functions = t.Functions[:min(len(t.Functions), MaxFunctions)]
	return t, dropped
}

// function is a function's entry. The ratio of time that does not scale to cycles is the function's
// own; the share follows from it and the clock.
func (f *sums) function(hz float64) Function {
	out := Function{Name: f.code.Name, Module: f.code.Module, BuildID: f.code.BuildID,
		Ranges: []Range{f.code.Range}, Slices: f.n, TimeNS: int64(f.time), High: 1}
	share := func(ratio float64) float64 { // ratio is in ns for each cycle
		ratio = max(ratio, 0)
		return ratio / (ratio + 1e9/hz)
	}
	if f.cycles <= 0 {
		out.Share, out.Low = 1, 0
		return out
	}
	ratio, squares := f.fixed/f.cycles, 0.0
	for _, b := range f.blocks {
		d := b.fixed - ratio*b.cycles
		squares += d * d
	}
	out.Share = share(ratio)
	if n := float64(len(f.blocks)); n >= leastBlocks {
		deviation := math.Sqrt(squares*n/(n-1)) / f.cycles
		out.Low, out.High = share(ratio-reach*deviation), share(ratio+reach*deviation)
	}
	return out
}
