package coalesce

// calm is what a program did for long enough to rest, before it was disturbed. Where other programs
// had its CPU for some milliseconds and it then does the same again, it has shown already that it
// is steady.
type calm struct {
	forecast Bounds
	level    int  // of the last rest
	left     int  // quanta in which the program may return to it
	others   bool // others had its CPU meanwhile
}

// returning is the number of quanta in which a program may return to what it did: those that a rest
// wants, after the part of a rest that was as before.
const returning = holds + 1

// disturb notes a quantum that was not as forecast, or in which the machine ended a rest.
func (w *Watch) disturb(q *Quantum) {
	if w.held >= holds {
		w.before = calm{forecast: w.forecast, level: w.level, left: returning}
	}
	w.held = 0
	if q.Broken {
		w.level = 0
	}
}

// resume has rests go on as before a disturbance, if others ran in the program's place. It reports
// whether they did in this quantum: then the machine can see whether the program does again what it
// did. If it does, it need not show anew that it is steady. Any other change of the program ends
// that.
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
