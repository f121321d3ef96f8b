package predictor

import (
	"math"
	"slices"
	"strings"

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
	delete(w.waits, t)
	if s := w.sum[t]; s != nil && s.base != base {
		w.settle(t)
	}
	if w.sum[t] == nil {
		w.sum[t] = &stretch{base: base}
	}
}

func (w *plainWake) run(i int, r epochs.Row) {
	x, s := w.p.split(i, r), w.sum[r.Thread]
	s.dur, s.lo, s.hi, s.stall, s.out = s.dur+x.dur, s.lo+x.lo, s.hi+x.hi, s.stall+x.stall, s.out+
		x.out
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
		total = math.Max(total, s.stall) // nobody counts stores here
	}
	c := w.clock[t]
	w.clock[t] += s.queued(total)
	w.past[t] = append(w.past[t], ran{w.wall[t] - s.dur, s.dur, c, w.clock[t]})
}

// queued is the stretch's time with the queue at the memory, where b is its time if memory answered
// as fast as at the base: half a line's time for each line in the queue, of which there are U/(1-U)
// at the use U.
func (s *stretch) queued(b float64) float64 {
	if s.busy == 0 || s.mem == 0 {
		return b
	}
	lines := func(use float64) float64 { return use / (1 - use) }
	busy := math.Min(s.busy, 0.99*s.dur)
	was := lines(busy / s.dur)
	latency := 77 - 44.0/3/4 + 5*was
	grown := func(v float64) float64 { return b + s.mem*5/latency*(lines(busy/v)-was) }
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

// after makes t's clock at least that of x as it was when it stood still.
func (w *plainWake) after(t, x epochs.TID) {
	w.settle(t)
	w.settle(x)
	w.clock[t] = math.Max(w.clock[t], w.clock[x])
	w.wall[t] = w.now
}

// freed are the threads that left a CPU at this instant.
func (w *plainWake) freed(ends []epochs.End) (ts []epochs.TID) {
	for _, y := range ends {
		if strings.ContainsRune("WOPQX", rune(y.Kind)) && w.wall[y.Thread] == w.now {
			ts = append(ts, y.Thread)
		}
	}
	return ts
}

// before is the thread that had the CPU to which the thread of ends[i] came.
func before(ends []epochs.End, i int, freed []epochs.TID) epochs.TID {
	for _, y := range ends[:i] {
		if strings.ContainsRune("ASR", rune(y.Kind)) && len(freed) > 0 {
			freed = freed[1:]
		}
	}
	if len(freed) == 0 || freed[0] == ends[i].Thread {
		return epochs.NoThread
	}
	return freed[0]
}

func (w *plainWake) resume(t, from epochs.TID, freed []epochs.TID) {
	for _, x := range freed {
		if from == epochs.NoThread && x != t {
			from = x
		}
	}
	x, waits := w.waits[t]
	last, ahead := epochs.NoThread, false
	if waits && x.turn {
		last, ahead = w.ahead(x)
		if !ahead && from == epochs.NoThread {
			last = w.longest(t)
			ahead = last != epochs.NoThread
		}
	}
	delete(w.waits, t)
	switch {
	case ahead && from == epochs.NoThread:
		w.turn(t, last)
	case waits && (from == epochs.NoThread || x.quota):
		w.clock[t] += w.waited(t, x)
		w.wall[t] = w.now
	case from == epochs.NoThread:
		w.elapse(t)
	}
	if from != epochs.NoThread {
		w.after(t, from)
	}
}

// newest is the time since by woke the newest of the threads that it wakes here, each after it fell
// asleep.
func (w *plainWake) newest(ends []epochs.End, by epochs.TID) float64 {
	least := math.Inf(1)
	for _, y := range ends {
		if y.Kind == epochs.EndWake && y.By == by && y.Thread != by {
			least = math.Min(least, math.Min(float64(y.Delay), w.now-w.wall[y.Thread]))
		}
	}
	return least
}

// whenWoken is the clock of by when it woke somebody delay ago, and what has passed since; not
// known if that delay is not, or nothing of by. Of what lies more than 64 stretches back the
// beginning of the last of them stands for it.
func (w *plainWake) whenWoken(by epochs.TID, delay float64) (clock, since float64, known bool) {
	w.settle(by)
	past := w.past[by]
	if delay == 0 || len(past) == 0 {
		return 0, 0, false
	}
	past = past[max(0, len(past)-65):]
	x := past[len(past)-1]
	for _, y := range slices.Backward(past) {
		if y.from+y.dur < w.now-delay {
			break
		}
		x = y
	}
	in := math.Min(math.Max(w.now-delay-x.from, 0), x.dur)
	clock = x.after
	if x.dur > 0 {
		clock = x.before + (x.after-x.before)*in/x.dur
	}
	return clock, w.now - x.from - in, true
}

func (w *plainWake) notBefore(t epochs.TID, clock float64) {
	w.settle(t)
	w.clock[t] = math.Max(w.clock[t], clock)
	w.wall[t] = w.now
}

// meet has all threads meet by, which woke some of them delay ago, and the others before.
func (w *plainWake) meet(all, woken []epochs.TID, by epochs.TID, delay float64) {
	for _, t := range all {
		w.settle(t)
	}
	c, since, known := w.whenWoken(by, delay)
	if !known {
		c, since = w.clock[by], 0
	}
	late := func(t epochs.TID) bool { return known && !slices.Contains(woken, t) }
	for _, t := range all {
		if late(t) {
			c = math.Max(c, w.clock[t]-since)
		} else {
			c = math.Max(c, w.clock[t])
		}
	}
	for _, t := range all {
		if late(t) {
			w.notBefore(t, c)
		} else {
			w.clock[t], w.wall[t] = c+since, w.now
		}
	}
	w.notBefore(by, c)
}
