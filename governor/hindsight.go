package governor

import (
	"math"
	"slices"

	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/learning"
	"github.com/ebb-energy/ebb/units"
)

// hindsight compares what was predicted with what came, and corrects the predictions to come. Two
// quanta are compared by the instructions they retired, so it needs that counter; without it
// nothing is learned and nothing corrected.
//
// Instructions of a thread that spins while it waits are no work. They blur the comparison, not
// more.
type hindsight struct {
	on       bool
	learner  *learning.Learner
	anchor   learning.Anchor
	last     stretch
	probes   int // made so far
	unproved int // quanta since one at nearly the highest frequency
}

// stretch is what is remembered of the quantum before.
type stretch struct {
	learning.Stretch
	known    bool
	phase    learning.Signature
	base     float64         // Hz, its mean frequency
	chosen   units.Frequency // what was decided after it
	atChosen float64         // its predicted time there with a thread running, per instruction
}

// counterNamed is the place of the first of the named counters, or -1.
func counterNamed(have []string, names ...string) int {
	for _, n := range names {
		if i := slices.Index(have, n); i >= 0 {
			return i
		}
	}
	return -1
}

// base is the frequency that the tally's work ran at: the mean of the logarithms of those told,
// over time with a thread running, as far as the counter of cycles agrees.
func (t *tally) base() float64 {
	if t.Busy <= 0 {
		return float64(t.Delivered)
	}
	return math.Exp(t.logBase/float64(t.Busy)) * t.pace()
}

// phase is the signature of a quantum: what does not depend on frequency.
func (t *tally) phase() learning.Signature {
	return learning.SignatureOf(float64(t.DRAMReads)/float64(t.Instructions),
		float64(t.ThreadRun)/float64(t.Busy))
}

// prepare sets the predictor's place in the bracket for the quantum's phase, and tells the learner
// of it. Without a count of requests to memory phases can not be told apart well enough to learn:
// the next quantum's other work would be taken for an effect of the clock.
func (h *hindsight) prepare(t *tally, p *predictor.Predictor) {
	if !h.on || !t.comparable() {
		return
	}
	phase := t.phase()
	if t.lowest == t.fastest && t.DRAMReads > 0 {
		h.learner.Add(p.Sample(phase).Per(float64(t.Instructions)))
	}
	p.SetAlpha(h.alpha(phase))
	t.Alpha = p.Alpha()
}

// unlearned is the place in the bracket of a phase of which nothing is known. The middle is the
// best guess for a time, but who takes too much of it for waiting slows the program by more than
// the budget. Measured on simulated machines with a processor's counters, 0.5 made up to 1.8 points
// too much of a budget of 5 %, 0.3 up to 0.7.
const unlearned = 0.3

// alpha is the place in the bracket for a phase.
func (h *hindsight) alpha(phase learning.Signature) float64 {
	if a, learned := h.learner.Learned(phase); learned {
		return a
	}
	return unlearned
}

// comparable says whether enough is known of the quantum to compare it with others.
func (t *tally) comparable() bool { return !t.Hole && t.Instructions > 0 && t.Busy >= t.Dur/2 }

// judge compares the quantum with the prediction made for it after the one before, and enters both
// in the anchor. The predictor's durations are the uncorrected ones.
func (h *hindsight) judge(t *tally, p *predictor.Predictor, highest units.Frequency) {
	if !h.on {
		return
	}
	if !t.comparable() {
		h.last = stretch{}
		return
	}
	n, base := float64(t.Instructions), t.base()
	running := p.Running(highest)
	now := stretch{known: true, phase: t.phase(), base: base, Stretch: learning.Stretch{
		Time: running / n, Distance: math.Log(float64(highest) / base), Change: math.Log(float64(t.ThreadRun) / running),
		Intensity: float64(t.DRAMReads) / n, Threads: float64(t.ThreadRun) / float64(t.Busy),
	}}
	if last := &h.last; last.known {
		h.anchor.Observe(&last.Stretch, &now.Stretch)
		if f := float64(last.chosen); math.Abs(f-base) < 0.01*f && last.phase.Near(now.phase) {
			actual := float64(t.Busy) / n
			p.Observe(units.Frequency(last.base), last.chosen, last.atChosen, actual)
			t.Compared, t.Error = true, math.Log(actual/last.atChosen)
		}
	}
	if now.Distance < 0.05 {
		h.unproved = 0
	} else {
		h.unproved++
	}
	h.last = now
}

// decided notes what was decided after the quantum, with the corrected prediction for it.
func (h *hindsight) decided(t *tally, f units.Frequency, at float64) {
	h.last.chosen, h.last.atChosen = f, max(at-float64(t.Dur-t.Busy),
		1)/float64(max(t.Instructions, 1))
}

// leans is by how much predictions of work like that in p from one frequency to another lean, and
// the standard deviation.
func (h *hindsight) leans(p *predictor.Predictor, from, to float64) (lean, deviation float64) {
	change := math.Log(p.Running(units.Frequency(from)) / p.Running(units.Frequency(to)))
	if !h.on || math.IsNaN(change) || math.IsInf(change, 0) {
		return 0, 0
	}
	return h.anchor.Bias(math.Log(to/from), change)
}

// tell notes in the quantum what its predictions lean by: the part that is corrected, per ln of
// frequency, and how uncertain the duration at the highest frequency is. Over a short distance
// little can be said, so the farther end tells.
func (h *hindsight) tell(t *tally, p *predictor.Predictor, lowest, highest units.Frequency) {
	base, low, high := t.base(), float64(lowest), float64(highest)
	if !h.on || !(base > 0) {
		return
	}
	lean, deviation := h.leans(p, base, max(high, base))
	d := math.Log(max(high, base) / base)
	t.Doubt = math.Hypot(deviation, waits*d)
	if base/low > high/base {
		lean, deviation = h.leans(p, base, low)
		d, lean = math.Log(base/low), -lean
	}
	if d > 0 {
		t.Lean = believed(lean, deviation, d) / d
	}
}
