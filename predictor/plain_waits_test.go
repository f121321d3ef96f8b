package predictor

import (
	"math"
	"strings"

	"github.com/ebb-energy/ebb/epochs"
)

// plainWait is the wait of a thread that could run, for threads outside the program or for its
// quota. more is the growth of the time that it ran before, as a share.
type plainWait struct {
	quota bool
	turn  bool // a thread of the program took over its CPU: behind, in its turn number count
	more  float64
	// behind is that thread, and count the turns that it has had by then
	behind epochs.TID
	count  int
}

// stop finds the threads that stop though they could run.
func (w *plainWake) stop(ends []epochs.End) {
	come := 0
	for _, x := range ends {
		if strings.ContainsRune("ASR", rune(x.Kind)) {
			come++
			for t, y := range w.waits {
				if x.Kind == epochs.EndResume && t != x.Thread && y.turn &&
					y.behind == x.Thread && y.count == w.turns[x.Thread] {
					y.count++
					w.waits[t] = y
				}
			}
			w.turns[x.Thread]++
		}
		if strings.ContainsRune("AS", rune(x.Kind)) {
			delete(w.waits, x.Thread)
		}
	}
	for _, x := range ends {
		if strings.ContainsRune("WOX", rune(x.Kind)) && w.known(x.Thread) &&
			w.wall[x.Thread] == w.now {
			w.leave(x.Thread, w.taker(ends, x.Thread))
		}
	}
	for _, x := range ends {
		if !strings.ContainsRune("WOPQX", rune(x.Kind)) || w.wall[x.Thread] != w.now {
			continue
		}
		taken := come > 0
		come--
		if !w.known(x.Thread) || x.Kind != epochs.EndThrottle && x.Kind != epochs.EndPreempt {
			continue
		}
		throttled := false
		for _, y := range w.waits {
			throttled = throttled || y.quota
		}
		if x.Kind == epochs.EndThrottle && !throttled {
			w.sleptBefore, w.slept = w.slept, 0
		}
		w.settle(x.Thread)
		wait := plainWait{quota: x.Kind == epochs.EndThrottle}
		wait.turn = taken && !wait.quota
		if wait.turn {
			wait.behind = w.taker(ends, x.Thread)
			wait.count = w.turns[wait.behind]
		}
		wait.more = w.more(x.Thread)
		w.waits[x.Thread] = wait
	}
}

// more is the growth of the time that t ran last, as a share.
func (w *plainWake) more(t epochs.TID) (more float64) {
	past := w.past[t]
	if len(past) == 0 {
		return 0
	}
	r := past[len(past)-1]
	if r.dur > 0 {
		more = (r.after - r.before - r.dur) / r.dur
	}
	if r.dur >= 100e3 {
		w.usual, w.usualKnown = more, true
	} else if w.usualKnown { // too short to show a pace
		more = w.usual
	}
	return more
}

// leave has those that wait for a turn after t, which leaves its CPU and could not run, wait for
// the next thread there; if that is none of the program's, the first of them for others.
func (w *plainWake) leave(t, next epochs.TID) {
	var behind []epochs.TID
	for _, y := range w.appeared() {
		x, waits := w.waits[y]
		if waits && x.turn && x.behind == t && x.count == w.turns[t] {
			behind = append(behind, y)
		}
	}
	if len(behind) == 0 {
		return
	}
	if next == epochs.NoThread {
		next = w.earliest(behind)
		w.after(next, t)
		w.waits[next] = plainWait{more: w.more(t)}
	}
	for _, y := range behind {
		if x := w.waits[y]; y != next {
			x.behind, x.count = next, w.turns[next]
			w.waits[y] = x
		}
	}
}

// longest is the thread that has waited longest for others, but for t.
func (w *plainWake) longest(t epochs.TID) epochs.TID {
	var list []epochs.TID
	for _, y := range w.appeared() {
		if x, waits := w.waits[y]; y != t && waits && !x.turn && !x.quota {
			list = append(list, y)
		}
	}
	return w.earliest(list)
}

// earliest is the thread of the list that has waited longest.
func (w *plainWake) earliest(list []epochs.TID) epochs.TID {
	best := epochs.NoThread
	for _, y := range list {
		if best == epochs.NoThread || w.wall[y] < w.wall[best] {
			best = y
		}
	}
	return best
}

// appeared has the threads in the order of their appearance.
func (w *plainWake) appeared() (list []epochs.TID) {
	for _, e := range w.p.es {
		for _, r := range e.Rows {
			list = append(list, r.Thread)
		}
		for _, x := range e.Ends {
			list = append(list, x.Thread, x.By)
		}
	}
	return distinct(list)
}

// turn: others had the CPU after last, which waits for them, and hand it to t.
func (w *plainWake) turn(t, last epochs.TID) {
	w.settle(t)
	x := w.waits[last]
	w.clock[t] = math.Max(w.clock[t], w.clock[last]+w.waited(last, x))
	w.wall[t] = w.now
	w.waits[last] = plainWait{turn: true, more: x.more, behind: t, count: w.turns[t]}
}

// taker is the thread that takes over the CPU of t.
func (w *plainWake) taker(ends []epochs.End, t epochs.TID) epochs.TID {
	freed := w.freed(ends)
	for i, x := range ends {
		if strings.ContainsRune("ASR", rune(x.Kind)) && before(ends, i, freed) == t {
			return x.Thread
		}
	}
	return epochs.NoThread
}

// ahead is the thread that had the CPU last of those of the program for which x waits, each of
// which waits since for the next one, and this one for other programs.
func (w *plainWake) ahead(x plainWait) (epochs.TID, bool) {
	for range w.turns {
		next, waits := w.waits[x.behind]
		if x.behind == epochs.NoThread || w.turns[x.behind] != x.count || !waits || next.quota {
			break
		}
		if !next.turn {
			return x.behind, true
		}
		x = next
	}
	return epochs.NoThread, false
}

// waited is the predicted time of a wait that lasts until now. A quota makes good what the program
// slept within its period of 100 ms.
func (w *plainWake) waited(t epochs.TID, x plainWait) float64 {
	wait, slept := w.now-w.wall[t], 0.0
	if x.quota {
		slept = math.Min(w.sleptBefore, math.Max(100e6-wait, 0))
	}
	return math.Max(wait+x.more*(wait+slept), 0)
}

// held says whether a thread could run but for other programs or its quota.
func (w *plainWake) held() bool {
	for _, x := range w.waits {
		if !x.turn {
			return true
		}
	}
	return false
}
