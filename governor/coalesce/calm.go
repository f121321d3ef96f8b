package coalesce

// calm is what a program did, for long enough to rest, before it was disturbed. If other programs
// had its CPU for some milliseconds and it then does the same again, it need not prove anew that it
// is steady.
type calm struct {
	forecast Bounds
	level    int  // level of the last rest
	left     int  // quanta that are left for the program to return to it
	others   bool // others have had its CPU meanwhile
}

// returning is the number of quanta in which a program may return to what it did: those that a rest
// requires, after the part of a rest that was as before.
const returning = holds + 1

// disturb handles a quantum that was not as forecast, or in which the machine ended a rest.
func (w *Watch) disturb(q *Quantum) {
	if w.held >= holds {
		w.before = calm{forecast: w.forecast, level: w.level, left: returning}
	}
	w.held = 0
	if q.Broken {
		w.level = 0
	}
}

// resume lets rests go on as before a disturbance, if others ran in the program's place and the
// program then does again what it did. It reports whether others did so in this quantum: then the
// machine can watch for the program's return. Any other change of the program ends this.
func (w *Watch) resume(q *Quantum) (displaced bool) {
	b := &w.before
	if b.left == 0 {
		return false
	}
	b.left--
	switch {
	case q.Broken && b.forecast.Hold(&q.Work): // what ended the rest comes after it
		if b.others {
			b.left = returning
		}
	case q.Sound && b.forecast.displaced(q):
		b.others = true
		return w.known && b.left > 0
	case b.others && w.known && b.forecast.Hold(q.ahead()):
		w.held, w.level, b.left = holds, b.level, 0
	default:
		b.left = 0
	}
	return false
}

// displaced reports whether a program ran less than within the bounds, because others ran in its
// place.
func (b *Bounds) displaced(q *Quantum) bool {
	could := q.Work
	could.Run += q.Ready
	return could.Time > 0 && q.Work.rates()[0] < b.Run.Low && b.Run.has(could.rates()[0])
}
