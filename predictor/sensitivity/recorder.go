package sensitivity

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Slice is a stretch of a thread's running time with the values of its counters.
type Slice struct {
	Thread   epochs.TID
	From, To units.Instant
	Fixed    float64 // part that does not scale, in ns
	Cycles   float64 // clock cycles of the rest
	Clock    float64 // Hz
}

// Code is the place of a function. For a method it has the three names and nothing else.
type Code struct {
	Name, Module, BuildID string
	Range                 Range
	Class, Signature      string
}

const (
	// hold is the longest time between two samples that leaves no doubt about the function in
	// between.
	hold = 50 * time.Millisecond
	// maxWaiting bounds the slices of a thread that wait for a sample, maxAllWaiting those of all,
	// and maxThreads the threads.
	maxWaiting, maxAllWaiting, maxThreads = 1 << 12, 1 << 17, 1 << 14
)

// Recorder joins slices with samples. A slice belongs to a function if the samples before and after
// it found the thread in that function, with no other one between. It is for one goroutine;
// NewRecorder makes one.
type Recorder struct {
	threads map[epochs.TID]*recorded
	waiting int           // number of slices that wait for a sample, of all threads
	swept   units.Instant // time at which threads were last forgotten
	codes   map[codeKey]int32
	sums    []sums
	cycles  float64
	time    float64 // running time of all slices, in ns
	mixed   float64 // part of time between two functions, in ns
}

// codeKey is a function's place, or a method.
type codeKey struct {
	id     string
	start  uint64
	method Method
}

// recorded is the recorder's state of a thread.
type recorded struct {
	fn          int32 // function of the last sample; -1: not known
	begin, last units.Instant
	slices      []Slice
}

// NewRecorder makes a recorder that knows nothing.
func NewRecorder() *Recorder {
	return &Recorder{threads: map[epochs.TID]*recorded{}, codes: map[codeKey]int32{}}
}

// Function returns the number of a function, -1 where there are too many.
func (r *Recorder) Function(c Code) int32 {
	key := codeKey{id: c.BuildID, start: c.Range.Start}
	if c.Class != "" {
		key = codeKey{method: Method{c.Class, c.Name, c.Signature}}
	}
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

func (r *Recorder) thread(id epochs.TID, now units.Instant) *recorded {
	if len(r.threads) >= maxThreads || r.waiting >= maxAllWaiting {
		r.sweep(now)
	}
	t := r.threads[id]
	if t == nil && len(r.threads) < maxThreads {
		t = &recorded{fn: -1}
		r.threads[id] = t
	}
	return t
}

// sweep forgets the threads whose last sample says nothing any more, such as those that have ended.
// The next sample of such a thread would give its slices to no function.
func (r *Recorder) sweep(now units.Instant) {
	if now.Sub(r.swept) <= hold {
		return
	}
	r.swept = now
	for id, t := range r.threads {
		if now.Sub(t.last) <= hold {
			continue
		}
		for i := range t.slices {
			r.mixed += float64(t.slices[i].To - t.slices[i].From)
		}
		r.waiting -= len(t.slices)
		delete(r.threads, id)
	}
}

// Slice adds a slice. A thread's slices come in order.
func (r *Recorder) Slice(s Slice) {
	d := float64(s.To - s.From)
	if !(d > 0) || !(s.Clock > 0) || !(s.Fixed >= 0) || !(s.Cycles >= 0) {
		return
	}
	r.time += d
	r.cycles += d * s.Clock / 1e9
	t := r.thread(s.Thread, s.To)
	if t == nil || len(t.slices) >= maxWaiting || r.waiting >= maxAllWaiting {
		r.mixed += d
		return
	}
	t.slices = append(t.slices, s)
	r.waiting++
}

// Sample says which function a thread was in, by the number that Function gave, or -1.
func (r *Recorder) Sample(thread epochs.TID, at units.Instant, fn int32) {
	t := r.thread(thread, at)
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
	r.waiting -= n
	if !same {
		t.begin = at
	}
	t.fn, t.last = fn, at
}

// Table returns the table of the functions found, the ones that ran longest first. Functions whose
// files have no build id are left out, because no table can have them; dropped is their number.
func (r *Recorder) Table() (t Table, dropped int) {
	t.Version = Version
	if r.time > 0 {
		t.Hz = int64(math.Round(r.cycles/r.time*1e3) * 1e6)
	}
	for i := range r.sums {
		f := &r.sums[i]
		if f.n == 0 {
			continue
		}
		entry := f.function(float64(t.Hz))
		if entry.validate() != nil {
			dropped++
			continue
		}
		t.Functions = append(t.Functions, entry)
	}
	slices.SortStableFunc(t.Functions, func(a, b Function) int {
		return cmp.Compare(b.TimeNS, a.TimeNS)
	})
	t.Functions = t.Functions[:min(len(t.Functions), MaxFunctions)]
	return t, dropped
}
