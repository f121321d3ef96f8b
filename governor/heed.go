package governor

import (
	"math"

	"github.com/ebb-energy/ebb/units"
)

// heed compares the clock that was counted, cycles over the time that threads ran, with the one
// that was asked for. A request can be taken and do nothing: an error of the driver that the kernel
// swallows. A clock can be limited by what tells nobody: firmware, power that many busy cores
// share. Only the counter tells, and not which of the two it is. What the machine itself tells, a
// cap or a write that had no effect, looks the same. Both are accounted at the counted clock; but
// to the first the answer is the highest frequency, which under the second would give away all
// savings. So it is tried out, where the clock is slower than asked for:
//
//  1. The request is made again, by way of a neighbouring state, as a write that changes nothing is dropped on its way. Under a
//     limit that does no harm. If the clock then follows, requests had been ignored, and the time that was lost by it is owed.
//  2. If two tries do not help, a quantum runs at a state below the counted clock. If the clock follows, something limits it:
//     what it is limited to is the highest frequency there is (reach), and what was lost by it is not the budget's. It
//     is looked at now and then whether it is still there; what was lost since it was last seen is owed if not.
//  3. If not, requests do nothing. All lost time is owed, the highest frequency is asked for, and again after 2, 4, 8, 16, 16, ...
//     quanta, until the clock follows.
type heed struct {
	stage stage
	reach float64         // Hz, what the highest state delivers; 0 while nothing is known
	slow  float64         // Hz, the clock of asking and trying
	tried units.Frequency // the state of trying
	count int             // quanta in the stage
	wait  int             // deaf, faster: quanta until the next request
	pause int             // and from it to the one after
	owed  float64         // ns lost while it was not known why, or since the limit was last seen
	gone  bool            // the limit is, in the last look
	seen  int             // how often the limit was
	since int             // quanta looked at since one at the highest state
	said  ActionKind      // Unheeded, Limited, or 0 when the clocks agree
	known bool            // the machine told that the clock is slower, in this stage

	// What the last look calls for.
	again bool            // to ask once more
	force units.Frequency // this state for the coming quantum; 0 for the one that is decided
}

// stage is how far it is known why the clocks differ.
type stage uint8

const (
	agrees stage = iota
	faster       // than told; that costs no time, and is asked again without haste
	asking       // slower: the request was made again
	trying       // slower: at a state below
	deaf         // slower, and not by a limit: requests do nothing
)

const (
	// noise is by how much a counted clock may be off without a meaning, ln: slices begin and end a
	// little beside their counts.
	noise = 0.02
	// little is by how much the clock must be below the highest for it to be asked for again, ln.
	little = 0.03
	// farOff is by how much the clocks must differ for more to be done, ln. Less is the part's own
	// doing: thermal limits, sharing of power.
	farOff = 0.1
	// unheeded is after how many quanta in a row a clock that is too fast is reported.
	unheeded = 8
	// tries is how often is asked again before a state below is tried.
	tries = 2
	// longestPause bounds how many quanta a deaf machine is left alone.
	longestPause = 16
	// relook is after how many quanta below a limit it is looked at the latest whether it is still
	// there.
	relook = 10
	// slowSettle is the part of a quantum after which a request must be in effect for the quantum
	// to be looked at.
	slowSettle = 20
)

// look enters a quantum in which f Hz were counted and should have been told, and a state was asked
// for. Known says whether the machine told of f; free, whether states may be tried. It returns what
// is new to be told, or 0.
func (h *heed) look(
	f, told float64, asked units.Frequency, states []units.Frequency, known, free bool,
) ActionKind {
	highest := states[len(states)-1]
	if h.reach == 0 {
		h.reach = float64(highest)
	}
	want := min(told, h.reach)
	h.since++
	top := told > float64(highest)*(1-noise)
	if top {
		h.since, want = 0, h.reach
	}
	h.again, h.force, h.gone = false, 0, false
	doubted := !h.known && (h.stage == asking || h.stage == trying ||
		h.seen == 0 && h.limited(highest))
	if h.stage == trying {
		h.judge(f, asked)
	} else {
		h.known = known
		h.compare(f, want, told, top, states, free)
	}
	if free && h.stage >= asking && h.force == 0 {
		h.force = highest
	}
	switch {
	case known && h.stage != agrees:
		return 0
	case h.stage == deaf, h.stage == faster && h.count >= unheeded:
		return h.tell(Unheeded)
	case h.stage != agrees:
		return 0
	case !h.limited(highest):
		h.seen = 0
		if doubted && h.said == 0 {
			return Heeded // it was never told that it did not
		}
		return h.tell(Heeded)
	case h.seen == 0: // to be seen once more
		if free {
			h.force = highest
		}
		return 0
	case known:
		return 0
	case h.below(highest) > farOff:
		return h.tell(Limited)
	}
	return h.tell(Heeded)
}

// compare is for a quantum in which the clock should have been want: told, as far as it reaches.
// Top says that it was the highest.
func (h *heed) compare(f, want, told float64, top bool, states []units.Frequency, free bool) {
	highest := states[len(states)-1]
	switch d := math.Log(f / want); {
	case d < -farOff:
		h.slower(f, states, free)
	case d < -little && top && (h.stage != asking || h.count < tries):
		h.enter(asking)
		h.slow, h.again = f, true
	case d < -little && top: // too little to be tried out, and taken for the part's own doing
		h.enter(agrees)
		h.reach, h.seen = f, 0
	case d > farOff && (top || want < told): // the limit is gone, or is a higher one
		h.enter(agrees)
		h.reach, h.gone, h.seen = f, true, 0
	case d > farOff:
		if h.enter(faster); h.count >= unheeded {
			h.retry()
		}
	default:
		h.enter(agrees)
		if h.limited(highest) && want < told {
			if h.seen++; d < noise {
				h.owed = 0
			} else {
				h.gone = true
			}
		}
		if top && d < noise {
			h.reach += (f - h.reach) / 4
		} else if top {
			h.reach = f
		}
	}
}

// slower is for a quantum in which the clock was too slow.
func (h *heed) slower(f float64, states []units.Frequency, free bool) {
	if h.stage == deaf {
		h.retry()
		return
	}
	h.enter(asking)
	h.slow = f
	if h.again = h.count <= tries; h.again {
		return
	}
	h.tried = 0
	for _, s := range states {
		if free && math.Log(f/float64(s)) > farOff {
			h.tried = s
		}
	}
	if h.tried == 0 {
		h.enter(deaf)
		h.retry()
		return
	}
	h.enter(trying)
	h.force = h.tried
}

// retry has the request made again when it is time to.
func (h *heed) retry() {
	if h.wait--; h.wait <= 0 {
		h.again, h.pause = true, min(max(2*h.pause, 2), longestPause)
		h.wait = h.pause
	}
}

// judge sees what the clock was at the state that was tried.
func (h *heed) judge(f float64, asked units.Frequency) {
	switch tried := float64(h.tried); {
	case asked != h.tried: // something came between, a hole; once more
		h.stage, h.count = asking, tries
	case f < math.Sqrt(tried*h.slow):
		h.reach, h.seen = h.slow, 0
		h.enter(agrees)
	default:
		h.enter(deaf)
		h.retry()
	}
}

func (h *heed) enter(s stage) {
	if h.stage != s {
		h.stage, h.count, h.wait, h.pause = s, 0, 0, 0
	}
	h.count++
}

// tell returns k if it is new.
func (h *heed) tell(k ActionKind) ActionKind {
	said := h.said
	if h.said = k; k == Heeded {
		h.said = 0
	}
	if k == said || k == Heeded && said == 0 {
		return 0
	}
	return k
}
