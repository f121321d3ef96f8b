package predictor

import (
	"math"

	"github.com/ebb-energy/ebb/epochs"
)

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
	x, s := w.p.split(i, r), w.sum[r.Thread]
	s.dur, s.lo, s.hi, s.stall, s.out = s.dur+x.dur, s.lo+x.lo, s.hi+x.hi, s.stall+x.stall, s.out+x.out
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
	burst := saturated*math.Max(computing*r+s.stall/2, s.out) + (1-saturated)*(computing*r+s.stall)
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
