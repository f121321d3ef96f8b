package predictor

import (
	"math"

	"github.com/ebb-energy/ebb/epochs"
)

// plainWake is the second implementation of the model wake: it walks the epochs at the target frequency and keeps every
// thread's clock in a map, from the counters to the end, with the time of a stretch as the documentation words it.
type plainWake struct {
	p     *plain
	clock map[epochs.TID]float64
	wall  map[epochs.TID]float64 // measured time that the clock stands for
	sum   map[epochs.TID]*stretch
	other map[epochs.TID]bool
	now   float64
	last  []epochs.TID
}

type stretch struct{ base, dur, lo, hi, stall, out float64 }

func (p *plain) wake() float64 {
	w := &plainWake{p: p, clock: map[epochs.TID]float64{}, wall: map[epochs.TID]float64{},
		sum: map[epochs.TID]*stretch{}, other: map[epochs.TID]bool{}}
	var met []epochs.TID // woken one after the other by metBy, up to the epoch before
	metBy := epochs.NoThread
	for i := range p.es {
		e := &p.es[i]
		for _, r := range e.Rows {
			w.enter(r.Thread, p.base[i])
		}
		for _, r := range e.Rows {
			w.run(i, r)
		}
		w.now += float64(e.Dur)
		var now []epochs.TID
		for _, r := range e.Rows {
			w.wall[r.Thread] = w.now
			now = append(now, r.Thread)
		}
		if len(now) > 0 {
			w.last = now
		}
		for _, x := range e.Ends {
			if x.Kind == epochs.EndSleep || x.Kind == epochs.EndOtherSleep {
				w.other[x.Thread] = x.Kind == epochs.EndOtherSleep
			}
		}
		onlyBy := soleWaker(e.Ends)
		if onlyBy == epochs.NoThread || onlyBy != metBy {
			met = nil
		}
		metBy = onlyBy
		handled := map[epochs.TID]bool{}
		for _, x := range e.Ends {
			switch {
			case x.Kind == epochs.EndStart && w.known(x.By):
				w.follow(x.Thread, x.By, true)
			case x.Kind == epochs.EndStart:
				delete(w.wall, x.Thread)
				w.latest(x.Thread)
			case x.Kind == epochs.EndResume:
				w.resume(e.Ends, x.Thread)
			case x.Kind == epochs.EndWake && x.By == epochs.NoThread:
				if w.other[x.Thread] || len(e.Rows) == 0 {
					w.elapse(x.Thread)
				} else {
					w.latest(x.Thread)
				}
			case x.Kind == epochs.EndWake && !handled[x.By]:
				handled[x.By] = true
				var woken []epochs.TID
				for _, y := range e.Ends {
					if y.Kind == epochs.EndWake && y.By == x.By && y.Thread != y.By {
						woken = append(woken, y.Thread)
					}
				}
				all := append(append([]epochs.TID{}, met...), woken...)
				if onlyBy == epochs.NoThread {
					all = woken
				}
				all = distinct(all)
				if len(all) >= 2 && w.known(x.By) && w.wall[x.By] == w.now {
					w.meet(append(all, x.By))
				} else {
					for _, t := range woken {
						w.follow(t, x.By, false)
					}
				}
				if onlyBy != epochs.NoThread {
					met = all
				}
			}
		}
	}
	var end, stopped float64
	for t := range w.wall {
		w.settle(t)
		end, stopped = math.Max(end, w.clock[t]), math.Max(stopped, w.wall[t])
	}
	return end + w.now - stopped
}

func distinct(ts []epochs.TID) (out []epochs.TID) {
	seen := map[epochs.TID]bool{}
	for _, t := range ts {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}

// soleWaker is the one known waker if the ends are nothing but its wakes.
func soleWaker(ends []epochs.End) epochs.TID {
	by := epochs.NoThread
	for i, x := range ends {
		if x.Kind != epochs.EndWake || i > 0 && x.By != by {
			return epochs.NoThread
		}
		by = x.By
	}
	return by
}

func (w *plainWake) known(t epochs.TID) bool { _, ok := w.wall[t]; return ok }

func (w *plainWake) enter(t epochs.TID, base float64) {
	switch {
	case !w.known(t) && w.now == 0:
		w.wall[t] = 0
	case !w.known(t):
		w.latest(t)
	case w.wall[t] < w.now:
		w.elapse(t)
	}
	if s := w.sum[t]; s != nil && s.base != base {
		w.settle(t)
	}
	if w.sum[t] == nil {
		w.sum[t] = &stretch{base: base}
	}
}

func (w *plainWake) run(i int, r epochs.Row) {
	dur := float64(w.p.es[i].Dur)
	lo, hi, stall, out := w.p.split(dur, r)
	s := w.sum[r.Thread]
	s.dur, s.lo, s.hi, s.stall, s.out = s.dur+dur, s.lo+lo, s.hi+hi, s.stall+stall, s.out+out
}

// settle adds what the thread ran to its clock.
func (w *plainWake) settle(t epochs.TID) {
	s := w.sum[t]
	delete(w.sum, t)
	if s == nil {
		return
	}
	r := s.base / w.p.f
	loads := s.lo + w.p.alpha*(s.hi-s.lo)
	rest := s.dur - loads - s.out
	computing := s.out - s.stall
	saturated := 0.0
	if s.stall > 0 {
		saturated = s.stall / s.out
	}
	burst := saturated*math.Max(computing*r, s.out) + (1-saturated)*(computing*r+s.stall)
	total := rest*r + loads + burst
	if r < 1 {
		total = math.Max(total, s.out)
	}
	w.clock[t] += total
}

func (w *plainWake) elapse(t epochs.TID) {
	w.settle(t)
	w.clock[t] += w.now - w.wall[t]
	w.wall[t] = w.now
}

func (w *plainWake) follow(t, by epochs.TID, anew bool) {
	w.settle(t)
	w.settle(by)
	c := w.clock[by] + w.now - w.wall[by]
	if anew || c > w.clock[t] {
		w.clock[t] = c
	}
	w.wall[t] = w.now
}

func (w *plainWake) latest(t epochs.TID) {
	others := 0
	for _, x := range w.last {
		if x != t {
			w.follow(t, x, !w.known(t))
			others++
		}
	}
	if others == 0 {
		w.elapse(t)
	}
}

func (w *plainWake) resume(ends []epochs.End, t epochs.TID) {
	for _, y := range ends {
		switch y.Kind {
		case epochs.EndSleep, epochs.EndOtherSleep, epochs.EndPreempt, epochs.EndExit:
			if y.Thread != t && w.wall[y.Thread] == w.now {
				w.follow(t, y.Thread, false)
				return
			}
		}
	}
	w.elapse(t)
}

func (w *plainWake) meet(ts []epochs.TID) {
	var c float64
	for _, t := range ts {
		w.settle(t)
		c = math.Max(c, w.clock[t])
	}
	for _, t := range ts {
		w.clock[t], w.wall[t] = c, w.now
	}
}
