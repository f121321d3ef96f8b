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
			w.turns[x.Thread]++
		}
		if strings.ContainsRune("AS", rune(x.Kind)) {
			delete(w.waits, x.Thread)
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
		if past := w.past[x.Thread]; len(past) > 0 {
			r := past[len(past)-1]
			if r.dur > 0 {
				wait.more = (r.after - r.before - r.dur) / r.dur
			}
			if r.dur >= 100e3 {
				w.usual, w.usualKnown = wait.more, true
			} else if w.usualKnown { // too short to show a pace
				wait.more = w.usual
			}
		}
		w.waits[x.Thread] = wait
	}
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
