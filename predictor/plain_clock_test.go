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
	s.mem, s.busy = s.mem+x.mem, s.busy+w.p.busy(i, x.mem)
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
	w.clock[t] += s.queued(total)
}

// queued is what queueing at the memory makes of the time b that the stretch would take if memory answered as fast as at
// the base: half a line's time for each line in the queue, of which there are U/(1-U) at the use U.
func (s *stretch) queued(b float64) float64 {
	if s.busy == 0 || s.mem == 0 {
		return b
	}
	lines := func(use float64) float64 { return use / (1 - use) }
	busy := math.Min(s.busy, 0.99*s.dur)
	was := lines(busy / s.dur)
	latency := 77 - 44.0/3/4 + 2.5*was
	grown := func(v float64) float64 { return b + s.mem*2.5/latency*(lines(busy/v)-was) }
	// The time that gives the use that gives the time.
	lo, hi := busy, 100*(b+s.dur)
	for range 200 {
		mid := (lo + hi) / 2
		if grown(mid) > mid {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
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
