package clockwatch

import "math"

// stage is the state of knowledge about why the clocks differ. The package's documentation has the
// diagram.
type stage uint8

const (
	agrees stage = iota
	faster       // than reported; that costs no time
	asking       // slower: the request was made again
	trying       // slower: the quantum runs at a state below
	deaf         // slower, and not by a limit: requests do nothing
)

func (s stage) String() string {
	return [...]string{"agrees", "faster", "asking", "trying", "deaf"}[s]
}

// step enters a quantum in which the clock was counted and due was expected, and decides what the
// coming quantum is to find out.
func (w *Watch) step(clock, due float64, q *Quantum, explained bool) {
	want := min(due, w.reach)
	w.sinceTop++
	top := due > float64(w.highest)*(1-noise)
	if top {
		w.sinceTop, want = 0, w.reach
	}
	w.insist, w.force, w.limitGone = false, 0, false
	if w.stage == trying {
		w.judge(clock, q)
	} else {
		w.explained = explained
		w.compare(clock, want, due, top)
	}
	if w.cfg.MayTry && w.stage >= asking && w.force == 0 {
		w.force = w.highest
	}
}

// compare handles a quantum in which the clock should have been want: due, limited by the reach.
// Top says that due is the highest state.
func (w *Watch) compare(clock, want, due float64, top bool) {
	switch d := math.Log(clock / want); {
	case d < -partsOwn:
		w.slower(clock)
	case d < -nearTop && top && (w.stage != asking || w.count < repetitions):
		w.enter(asking)
		w.slow, w.insist = clock, true
	case d < -nearTop && top: // too little to try: taken to be the processor's own
		w.enter(agrees)
		w.reach, w.limitSeen = clock, 0
	case d > partsOwn && (top || want < due): // the limit is gone, or is a higher one
		w.enter(agrees)
		w.reach, w.limitGone, w.limitSeen = clock, true, 0
	case d > partsOwn:
		if w.enter(faster); w.count >= reportAfter {
			w.repeat()
		}
	default:
		w.follows(clock, d, want < due, top)
	}
}

// follows handles a quantum in which the clock was the wanted one but for d, ln. Below says that
// the limit kept it below the request.
func (w *Watch) follows(clock, d float64, below, top bool) {
	w.enter(agrees)
	if w.Limited() && below {
		if w.limitSeen++; d < noise {
			w.suspended = 0
		} else {
			w.limitGone = true
		}
	}
	if top && d < noise {
		w.reach += (clock - w.reach) / 4
	} else if top {
		w.reach = clock
	}
}

// slower handles a quantum in which the clock was too slow.
func (w *Watch) slower(clock float64) {
	if w.stage == deaf {
		w.repeat()
		return
	}
	w.enter(asking)
	w.slow = clock
	if w.insist = w.count <= repetitions; w.insist {
		return
	}
	w.tried = 0
	for _, s := range w.cfg.States {
		if w.cfg.MayTry && math.Log(clock/float64(s)) > partsOwn {
			w.tried = s
		}
	}
	if w.tried == 0 {
		w.enter(deaf)
		w.repeat()
		return
	}
	w.enter(trying)
	w.force = w.tried
}

// repeat has the request made again when its time has come.
func (w *Watch) repeat() {
	if w.wait--; w.wait <= 0 {
		w.insist, w.pause = true, min(max(2*w.pause, 2), longestPause)
		w.wait = w.pause
	}
}

// judge compares the clock with the state that was tried.
func (w *Watch) judge(clock float64, q *Quantum) {
	switch tried := float64(w.tried); {
	case q.Asked != w.tried || q.Held: // something came between, a hole or a wish; once more
		w.stage, w.count = asking, repetitions
	case clock < math.Sqrt(tried*w.slow):
		w.reach, w.limitSeen = w.slow, 0
		w.enter(agrees)
	default:
		w.enter(deaf)
		w.repeat()
	}
}

func (w *Watch) enter(s stage) {
	if w.stage != s {
		w.stage, w.count, w.wait, w.pause = s, 0, 0, 0
	}
	w.count++
}
