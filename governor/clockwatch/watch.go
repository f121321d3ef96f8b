package clockwatch

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Config describes the machine to a Watch.
type Config struct {
	States []units.Frequency // ascending, at least one
	// Settle is the time a request takes to be in effect; 0 when it is not known.
	Settle time.Duration
	// MayTry: the Watch may choose states for single quanta, to find out why the clocks differ.
	// Without, it takes each slow clock for deafness.
	MayTry bool
}

// Watch follows whether the clock obeys. New makes one. It is for one goroutine.
type Watch struct {
	cfg     Config
	highest units.Frequency // highest state
	stage   stage
	count   int // quanta so far in the stage; 0 before the first quantum only

	reach float64         // Hz > 0, the clock that the highest state delivers as far as is known
	slow  float64         // Hz, the clock that led to asking or trying; meaningless in other stages
	tried units.Frequency // the state of trying; meaningless in other stages
	wait  int             // deaf, faster: quanta until the next repetition
	pause int             // deaf, faster: quanta from that one to the next, at most longestPause

	suspended float64 // ns lost for an unknown reason, or since the limit was last seen; >= 0
	limitGone bool    // the quantum before showed that the limit is gone
	limitSeen int     // number of successive quanta that showed the limit
	sinceTop  int     // quanta since the last one at the highest state
	said      Finding // Unheeded or Limited while that is reported, None while the clocks agree
	// explained: the machine itself reports the slower clock, in this stage.
	explained bool

	insist bool            // the request is to be made again, after the quantum in Look
	force  units.Frequency // the state to find out with in the coming quantum; 0 for none
}

const (
	// nearTop is the distance, ln, by which the clock must be below the highest for the highest to
	// be asked for again.
	nearTop = 0.03
	// partsOwn is the distance, ln, up to which the processor itself moves its clock: thermal
	// limits, sharing of power. ebb tries nothing there.
	partsOwn = 0.1
	// reportAfter is the number of quanta in a row with a clock too fast before that is reported.
	reportAfter = 8
	// repetitions is the number of times a request is made again before a state below is tried.
	repetitions = 2
	// longestPause bounds the quanta between two repetitions.
	longestPause = 16
	// longestUnchecked bounds the quanta below a limit until the next check of the limit.
	longestUnchecked = 10
	// settledPart: a request must be in effect after this part of a quantum (one by) for the
	// quantum to be compared with the request.
	settledPart = 20
)

// Finding is news about the clock.
type Finding uint8

const (
	// None: nothing new.
	None Finding = iota
	// Unheeded: requests do nothing.
	Unheeded
	// Heeded: the clock obeys again, also where it took no more than to insist.
	Heeded
	// Limited: something limits the clock that the machine does not report.
	Limited
)

// Quantum describes a quantum to a Watch.
type Quantum struct {
	Start    units.Instant
	Dur      time.Duration
	Asked    units.Frequency // the newest request when the quantum ended
	Answered units.Instant   // time when the machine reported it done; 0 before
	Counted  Counted
	// Held: another tenant held the clock above the request, at least for a part of the quantum.
	Held bool
}

// Answer is what a quantum showed about the clock and calls for.
type Answer struct {
	Finding Finding
	// Clock and Reported are the counted clock and the one that the machine reported; 0 without a
	// finding.
	Clock, Reported units.Frequency
	// Insist: the request is to be made again.
	Insist bool
}

// New makes a Watch that believes the machine.
func New(cfg Config) Watch {
	highest := cfg.States[len(cfg.States)-1]
	return Watch{cfg: cfg, highest: highest, reach: float64(highest)}
}

// Look compares the quantum's clock with the one it should have been. While a request is new that
// is the clock that the machine reported, moment by moment. A slower clock that the machine reports
// is explained, but its cause is not: a cap is a limit, and a write that failed is a request that
// did nothing.
func (w *Watch) Look(q *Quantum) Answer {
	due, comparable := w.due(q)
	if !comparable {
		return Answer{}
	}
	clock := q.Counted.Clock
	if clock < due {
		clock = min(clock*(1+q.Counted.Short), due)
	}
	explained := math.Abs(math.Log(clock/q.Counted.Reported)) < nearTop
	doubted := !w.explained && (w.unknown() || w.limitSeen == 0 && w.Limited())
	w.step(clock, due, q, explained)
	a := Answer{Finding: w.finding(explained, doubted), Insist: w.insist}
	if a.Finding != None {
		a.Clock = Nearest(clock, w.cfg.States)
		a.Reported = Nearest(q.Counted.Reported, w.cfg.States)
	}
	return a
}

// due returns the clock that the quantum should have run at, and whether the two can be compared.
func (w *Watch) due(q *Quantum) (hz float64, comparable bool) {
	part := q.Dur / settledPart
	switch settled := q.Answered.Add(w.cfg.Settle); {
	case !q.Counted.Known:
		return 0, false
	case q.Answered != 0 && settled <= q.Start.Add(part):
		return max(q.Counted.Reported, float64(q.Asked)), true
	case w.cfg.Settle > part:
		return 0, false
	}
	return q.Counted.Reported, true
}

// finding returns the news after a step. Doubted says that the clock was in doubt before, and that
// nothing the machine reported explained it.
func (w *Watch) finding(explained, doubted bool) Finding {
	switch {
	case explained && w.stage != agrees:
		return None
	case w.stage == deaf, w.stage == faster && w.count >= reportAfter:
		return w.news(Unheeded)
	case w.stage != agrees:
		return None
	case !w.Limited():
		w.limitSeen = 0
		if doubted && w.said == None {
			return Heeded // the opposite was never reported
		}
		return w.news(Heeded)
	case w.limitSeen == 0: // the limit has to be seen once more
		if w.cfg.MayTry {
			w.force = w.highest
		}
		return None
	case explained:
		return None
	case w.below() > partsOwn:
		return w.news(Limited)
	}
	return w.news(Heeded)
}

// news returns f if it differs from what was reported before.
func (w *Watch) news(f Finding) Finding {
	said := w.said
	if w.said = f; f == Heeded {
		w.said = None
	}
	if f == said || f == Heeded && said == None {
		return None
	}
	return f
}
