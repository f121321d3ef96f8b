package waiting

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
)

// Work holds the rows of the epochs since the last Reset, in columns. A prediction is one pass over
// it.
//
// A row's time at the frequency f is predicted as
//
//	scaling*r + nonscaling + a*(1-r)*spread,  r = base/f
//
// where nonscaling and nonscaling+spread bracket the part of the row's time that does not scale,
// and a in [0, 1] is the place between them. scaling+nonscaling is the row's measured time in whole
// units, so that r = 1 gives it back exactly.
type Work struct {
	Bus nonscaling.Bus

	// Rows: the thread's dense index, and the parts of its time in the epoch, in the epochs' time
	// unit.
	Thread     []int32
	Scaling    []float64
	NonScaling []float64
	Spread     []float64
	// Newest holds the parts of the newest epoch's rows as they are, for a model that wants them.
	Newest []nonscaling.Parts

	Spans []Span
	Ends  []End

	Threads Threads
	Base    float64 // frequency of the newest epoch, Hz
	Totals
	Clocks []Clock
	Counts nonscaling.Counts
	Shares []Share // by a thread's dense index; the last threads may have none
}

// Share is a thread's part of the work: its running time, the part of it waited for memory, and its
// counts.
type Share struct {
	Run, Mem, Instructions, Reads int64
	// scaling and spreading are its time that scales and the spread of the bracket, each times the
	// frequency that it ran at. nonScaling and spread are the time that does not scale and the
	// bracket's spread.
	scaling, spreading, nonScaling, spread float64
}

// At returns the thread's running time at f Hz, with the non-scaling time at the place a of its
// bracket.
func (s *Share) At(f, a float64) float64 {
	return (s.scaling-float64(a*s.spreading))/f + s.nonScaling + float64(a*s.spread)
}

// share enters a row in its thread's part of the work.
func (w *Work) share(t int32, p *nonscaling.Parts, values []int64, base float64) {
	for int(t) >= len(w.Shares) {
		w.Shares = append(w.Shares, Share{})
	}
	s := &w.Shares[t]
	s.Run, s.Mem = s.Run+p.Dur, s.Mem+p.Mem
	s.scaling += float64(float64(p.Dur-p.Lo-p.Stall) * base)
	s.spreading += float64(float64(p.Hi-p.Lo) * base)
	s.nonScaling += float64(p.Lo + p.Stall)
	s.spread += float64(p.Hi - p.Lo)
	if i := w.Counts.Instructions; i >= 0 {
		s.Instructions += values[i]
	}
	if i := w.Counts.Reads; i >= 0 {
		s.Reads += values[i]
	}
}

// Clock is the running time of all rows that ran at one frequency, and the bracket of the part of
// it that does not scale.
type Clock struct {
	Base        float64 // Hz
	Run, Lo, Hi int64
}

// Totals are sums over the work, in the epochs' time unit.
type Totals struct {
	Measured int64 // sum of the epochs' durations
	Busy     int64 // the part of Measured with a thread running
	Waited   int64 // the part with none running, but one that could; see Wake
	Run      int64 // running time of all rows
	Mem      int64 // the part of Run that was waited for memory
	Lo, Hi   int64 // bracket of the part of Run that does not scale
	Clamped  int   // rows whose counters gave a non-scaling time outside [0, dur]
}

// Span is one epoch: its rows and what ended it, as half-open ranges.
type Span struct {
	Row, RowEnd int32
	End, EndEnd int32
	From        int64 // measured time before it
	Start       int64 // start as the epoch has it
	Dur         float64
	Base        float64 // delivered frequency in Hz
	Waiting     bool    // a thread could run and did not, as far as the tracer knows
}

// End is an epochs.End with dense thread indices; -1 where there is no thread.
type End struct {
	Thread, By int32
	Kind       epochs.EndKind
	Delay      int64
}

// Reset forgets all epochs.
func (w *Work) Reset() {
	w.Thread, w.Newest = w.Thread[:0], w.Newest[:0]
	w.Scaling, w.NonScaling, w.Spread = w.Scaling[:0], w.NonScaling[:0], w.Spread[:0]
	w.Spans, w.Ends = w.Spans[:0], w.Ends[:0]
	w.Threads.Reset()
	w.Totals, w.Clocks, w.Shares = Totals{}, w.Clocks[:0], w.Shares[:0]
}

// Add appends an epoch that ran at base Hz, its rows split by s, and returns its number.
func (w *Work) Add(e *epochs.Epoch, base float64, s nonscaling.Splitter) int {
	if w.Base != base {
		w.Base = base
		s.Rebase(base)
	}
	span := Span{Row: int32(len(w.Thread)), End: int32(len(w.Ends)), From: w.Measured,
		Start: int64(e.Start), Dur: float64(e.Dur), Base: base, Waiting: e.Waits.Ready() > 0}
	if n := len(w.Clocks); n == 0 || w.Clocks[n-1].Base != base {
		w.Clocks = append(w.Clocks, Clock{Base: base})
	}
	w.addRows(e, s)
	nonscaling.Divide(w.Newest, w.Bus.Busy(e))
	for _, x := range e.Ends {
		if x.Thread != epochs.NoThread || ofNoThread(x.Kind) {
			w.Ends = append(w.Ends, w.end(&x))
		}
	}
	span.RowEnd, span.EndEnd = int32(len(w.Thread)), int32(len(w.Ends))
	if span.Row != span.RowEnd {
		w.Busy += int64(e.Dur)
	} else if span.Waiting {
		w.Waited += int64(e.Dur)
	}
	w.Spans = append(w.Spans, span)
	w.Measured += int64(e.Dur)
	return len(w.Spans) - 1
}

// ofNoThread reports whether an event of a kind belongs to no thread. Others that name none say
// nothing; the kernel's records have none, but a table or a recording may.
func ofNoThread(k epochs.EndKind) bool {
	return k == epochs.EndCut || k == epochs.EndRun || k == epochs.EndPhase
}

// end takes over an event that ended an epoch. A thread whose exit was lost has ended at the latest
// when another one starts with its id.
func (w *Work) end(x *epochs.End) End {
	by := w.Threads.Latest(x.By)
	if x.Kind == epochs.EndStart {
		w.Threads.Exit(x.Thread)
	}
	out := End{Thread: w.Threads.Index(x.Thread), By: by, Kind: x.Kind, Delay: int64(x.Delay)}
	if x.Kind == epochs.EndExit {
		w.Threads.Exit(x.Thread)
	}
	return out
}

func (w *Work) addRows(e *epochs.Epoch, s nonscaling.Splitter) {
	w.Newest = w.Newest[:0]
	c := &w.Clocks[len(w.Clocks)-1]
	if l, ok := s.(nonscaling.Looker); ok {
		l.Look(e)
	}
	for i := range e.Rows {
		row := &e.Rows[i]
		if row.Thread == epochs.NoThread {
			continue // an idle stretch as a table's file writes it
		}
		p, clamped := s.Split(row.Values, int64(e.Dur))
		if clamped {
			w.Clamped++
		}
		w.Thread = append(w.Thread, w.Threads.Index(row.Thread))
		w.Scaling = append(w.Scaling, float64(p.Dur-p.Lo-p.Stall))
		w.NonScaling = append(w.NonScaling, float64(p.Lo+p.Stall))
		w.Spread = append(w.Spread, float64(p.Hi-p.Lo))
		w.Newest = append(w.Newest, p)
		w.share(w.Thread[len(w.Thread)-1], &p, row.Values, w.Base)
		w.Run, c.Run = w.Run+p.Dur, c.Run+p.Dur
		w.Mem += p.Mem
		w.Lo, c.Lo = w.Lo+p.Lo+p.Stall, c.Lo+p.Lo+p.Stall
		w.Hi, c.Hi = w.Hi+p.Hi+p.Stall, c.Hi+p.Hi+p.Stall
	}
}

// Before returns the measured time before epoch e, or of all epochs when e is their number.
func (w *Work) Before(e int32) int64 {
	if int(e) == len(w.Spans) {
		return w.Measured
	}
	return w.Spans[e].From
}

// RunTime predicts the running time of all threads together at f Hz, with the non-scaling time at
// the place a of its bracket.
func (w *Work) RunTime(f, a float64) float64 {
	var sum float64
	for i := range w.Spans {
		s := &w.Spans[i]
		r := s.Base / f
		for j := s.Row; j < s.RowEnd; j++ {
			sum += w.Scaling[j]*r + w.NonScaling[j] + a*(1-r)*w.Spread[j]
		}
	}
	return sum
}
