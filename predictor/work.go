package predictor

import "github.com/ebb-energy/ebb/epochs"

// work is what the epochs since the last Reset held, in columns. A prediction is one pass over it.
//
// A row's time at the frequency f is predicted as
//
//	scal*r + non + a*(1-r)*spread,  r = base/f
//
// where non and non+spread bracket the part of the row's time that does not scale and a in [0, 1]
// says where between them it is taken to be. scal+non is the row's measured time in whole units, so
// that r = 1 gives it back exactly.
type work struct {
	bus bus

	// Rows: the thread's dense index, and the parts of its time in the epoch, in the epochs' time
	// unit.
	thread []int32
	scal   []float64
	non    []float64
	spread []float64
	parts  []parts // the same undigested, for a model that wants them; of the newest epoch only

	spans []span
	ends  []end

	threads  threads
	base     float64 // of the newest epoch, in Hz
	measured int64   // sum of the epochs' durations
	busy     int64   // of it, with a thread running
	run      int64   // running time of all rows
	mem      int64   // what of it was waited for memory
	lo, hi   int64   // bracket of what of it does not scale
	clamped  int     // rows whose counters gave a non-scaling time outside [0, dur]
}

// span is one epoch: its rows and what ended it.
type span struct {
	row, rowEnd int32
	end, endEnd int32
	from        int64 // measured time before it
	dur         float64
	base        float64 // delivered frequency in Hz
}

// end is an epochs.End with dense thread indices; -1 where there is no thread.
type end struct {
	thread, by int32
	kind       epochs.EndKind
	delay      int64
}

func (w *work) reset() {
	w.thread, w.scal, w.non, w.spread, w.parts = w.thread[:0], w.scal[:0], w.non[:0], w.spread[:0], w.parts[:0]
	w.spans, w.ends = w.spans[:0], w.ends[:0]
	w.threads.reset()
	w.measured, w.busy, w.run, w.mem, w.lo, w.hi, w.clamped = 0, 0, 0, 0, 0, 0, 0
}

// add appends an epoch that ran at base Hz and returns its number.
func (w *work) add(e *epochs.Epoch, base float64, est splitter) int {
	if w.base != base {
		w.base = base
		est.rebase(base)
	}
	w.parts = w.parts[:0]
	s := span{row: int32(len(w.thread)), end: int32(len(w.ends)), from: w.measured,
		dur: float64(e.Dur), base: base}
	for i := range e.Rows {
		row := &e.Rows[i]
		if row.Thread == epochs.NoThread {
			continue // an idle stretch as a table's file writes it
		}
		p, clamped := est.split(row.Values, int64(e.Dur))
		if clamped {
			w.clamped++
		}
		w.thread = append(w.thread, w.threads.index(row.Thread))
		w.scal = append(w.scal, float64(p.dur-p.lo-p.stall))
		w.non = append(w.non, float64(p.lo+p.stall))
		w.spread = append(w.spread, float64(p.hi-p.lo))
		w.parts = append(w.parts, p)
		w.run += p.dur
		w.mem += p.mem
		w.lo += p.lo + p.stall
		w.hi += p.hi + p.stall
	}
	divide(w.parts, w.bus.busy(e))
	for _, x := range e.Ends {
		w.ends = append(w.ends, end{thread: w.threads.index(x.Thread), by: w.threads.index(x.By),
			kind: x.Kind, delay: int64(x.Delay)})
	}
	s.rowEnd, s.endEnd = int32(len(w.thread)), int32(len(w.ends))
	if s.row != s.rowEnd {
		w.busy += int64(e.Dur)
	}
	w.spans = append(w.spans, s)
	w.measured += int64(e.Dur)
	return len(w.spans) - 1
}

// before is the measured time before epoch e, or of all epochs when e is their number.
func (w *work) before(e int32) int64 {
	if int(e) == len(w.spans) {
		return w.measured
	}
	return w.spans[e].from
}
