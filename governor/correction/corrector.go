package correction

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/units"
)

// Corrector compares predictions with the outcomes, and corrects later ones. NewCorrector makes
// one. It is for one goroutine.
type Corrector struct {
	learns          bool // if false, nothing is learned or corrected
	learner         *learner
	byPhase         bool // phases have a bias of their own
	phases          map[Signature]*residual
	probed          bool // Probe asked for the coming quantum
	anchor          anchor
	last            stretch                // the quantum before
	threads, before []predictor.ThreadTime // times in the quantum and in the one before, by thread
	probes          int                    // number of quanta so far that Probe asked for
	// sinceHighest counts the quanta that could be compared since the last that ran at nearly the
	// highest frequency.
	sinceHighest int
}

// stretch is the memory of the quantum before.
type stretch struct {
	Stretch
	known    bool // the quantum can be compared; else only chosen and atChosen are set
	phase    Signature
	base     float64         // Hz, its mean frequency
	chosen   units.Frequency // the frequency decided at its end
	atChosen float64         // predicted busy time at chosen, ns per instruction
}

// Quantum describes a quantum to a Corrector.
type Quantum struct {
	Dur          time.Duration
	Busy         time.Duration // time with at least one thread running
	Waited       time.Duration // time with none running, but one that could
	ThreadRun    time.Duration // run time summed over threads
	Instructions uint64        // 0 when they are not counted
	DRAMReads    uint64        // requests to memory; 0 when they are not counted
	Base         float64       // Hz, the mean of the clock its work ran at
	Steady       bool          // the clock was the same all the time
	Steps        int           // number of the grid's quanta; 0 stands for 1
	Hole         bool          // the quantum's data has holes
}

// Range is the frequencies that predictions are made for.
type Range struct {
	Lowest, Highest units.Frequency // states
	Reach           units.Frequency // the clock that the highest state delivers
}

// Lesson is what past predictions teach about a quantum.
type Lesson struct {
	// Compared: the prediction made at the end of the quantum before could be compared with this
	// quantum, by the work they did. Error is then ln(actual / predicted) of the time per
	// instruction.
	Compared bool
	Error    float64
	// Alpha is the place of the non-scaling time in its bracket that was used, 0 to 1.
	Alpha float64
	// Bias is the part of the predictions' bias that is corrected: ln of time per ln of frequency.
	// Doubt is the standard deviation of the predicted duration at the highest frequency, as a
	// share of it.
	Bias, Doubt float64
}

// NewCorrector makes a Corrector. Without learns it corrects nothing. Complete says that
// predictions account for all known causes of a bias (predictor.Predictor.Complete), so that only a
// small bias is expected. With byPhase, each phase of the program has a bias of its own besides.
func NewCorrector(learns, complete, byPhase bool) Corrector {
	return Corrector{learns: learns, learner: newLearner(), anchor: anchor{Complete: complete},
		byPhase: learns && byPhase, phases: map[Signature]*residual{}}
}

// Learn compares the quantum with the prediction made for it and sets the place in the bracket for
// its phase. P holds the quantum's epochs.
func (c *Corrector) Learn(q *Quantum, p *predictor.Predictor, r *Range) (l Lesson) {
	if c.learns && q.comparable() {
		c.setNonScaling(q, p)
	}
	l.Alpha = p.Alpha()
	if !c.learns {
		return l
	}
	if q.comparable() {
		l.Compared, l.Error = c.compare(q, p, r.Reach)
	} else {
		c.last = stretch{}
	}
	c.probed = false
	if q.Base > 0 {
		l.Bias, l.Doubt = c.bias(q, p, r)
	}
	return l
}

// Decided notes the frequency chosen after the quantum, and the corrected prediction of the
// quantum's work there, in ns.
func (c *Corrector) Decided(q *Quantum, f units.Frequency, duration float64) {
	busy := max(duration-q.idle(), 1)
	if q.Waited > 0 { // the wait depends on other programs
		busy *= float64(q.Busy) / float64(q.Busy+q.Waited)
	}
	c.last.chosen, c.last.atChosen = f, busy/float64(max(q.Instructions, 1))
}

// idle returns the time in which no thread could run, in ns.
func (q *Quantum) idle() float64 { return float64(q.Dur - q.Busy - q.Waited) }

// comparable reports whether enough is known of the quantum to compare it with others.
func (q *Quantum) comparable() bool { return !q.Hole && q.Instructions > 0 && q.Busy >= q.Dur/2 }

// phase returns the signature of a quantum: counts that do not depend on frequency.
func (q *Quantum) phase() Signature {
	return signatureOf(float64(q.DRAMReads)/float64(q.Instructions),
		float64(q.ThreadRun)/float64(q.Busy))
}

// setNonScaling puts the predictor's non-scaling time at the place in the bracket that is best
// known for the quantum's phase, and has the learner see the quantum. Without a count of requests
// to memory, phases cannot be distinguished well enough to learn: other work in the next quantum
// would look like an effect of the clock.
func (c *Corrector) setNonScaling(q *Quantum, p *predictor.Predictor) {
	phase := q.phase()
	if q.Steady && q.DRAMReads > 0 {
		c.learner.Add(Sample{phase, p.Sample().Per(float64(q.Instructions))})
	}
	alpha, learned := c.learner.learned(phase)
	if !learned {
		alpha = unlearnedPlace
	}
	p.SetAlpha(alpha)
}

// unlearnedPlace is the place in the bracket of an unknown phase. The middle is the best estimate
// of a time, but an estimate with too much waiting slows the program by more than the budget.
// Measured on simulated machines with a processor's counters, 0.5 made up to 1.8 points too much of
// a budget of 5 %, 0.3 up to 0.7.
const unlearnedPlace = 0.3

const (
	// sameClock is the share by which the clock may differ from the chosen one for the quantum to
	// show whether the prediction was right.
	sameClock = 0.01
	// nearHighest is the distance from the highest frequency, ln, below which a quantum shows what
	// the work takes there.
	nearHighest = 0.05
)

// compared returns the residual that two neighbouring quanta concern: that of the one farther from
// the highest frequency. It is nil where they are of different phases.
func (c *Corrector) compared(now *stretch) *residual {
	if !c.byPhase || !c.last.phase.near(now.phase) {
		return nil
	}
	far := &c.last
	if now.Distance > far.Distance {
		far = now
	}
	x := c.residual(far.phase)
	x.teachable = c.probed || min(now.Distance, c.last.Distance) < nearHighest
	return x
}

// compare enters the quantum and the one before it in the anchor. The predictor's durations are the
// uncorrected ones. If the quantum before was predicted to the clock of this one, it returns ln of
// actual over predicted time.
func (c *Corrector) compare(
	q *Quantum, p *predictor.Predictor, reach units.Frequency,
) (compared bool, miss float64) {
	n := float64(q.Instructions)
	running := p.Running(reach)
	now := stretch{known: true, phase: c.phaseOf(q, p), base: q.Base, Stretch: Stretch{
		Time:      running / n,
		Distance:  math.Log(float64(reach) / q.Base),
		Change:    math.Log(float64(q.ThreadRun) / running),
		Intensity: float64(q.DRAMReads) / n,
		Threads:   float64(q.ThreadRun) / float64(q.Busy),
	}}
	c.threads = p.Threads(c.threads[:0], reach)
	slices.SortFunc(c.threads,
		func(a, b predictor.ThreadTime) int { return cmp.Compare(a.Thread, b.Thread) })
	if last := &c.last; last.known {
		like := now.Stretch
		c.alike(&last.Stretch, &like)
		if last.Intensity == 0 && like.Intensity == 0 && c.probed {
			last.Intensity, like.Intensity = 1, 1 // not known, and no reason for the clock
		}
		c.anchor.Observe(&last.Stretch, &like, c.compared(&now))
		f := float64(last.chosen)
		if math.Abs(f-q.Base) < sameClock*f && last.phase.near(now.phase) {
			actual := float64(q.Busy) / n
			p.Observe(units.Frequency(last.base), last.chosen, last.atChosen, actual)
			compared, miss = true, math.Log(actual/last.atChosen)
		}
	}
	if now.Distance < nearHighest {
		c.sinceHighest = 0
	} else {
		c.sinceHighest += max(q.Steps, 1)
	}
	c.last = now
	c.threads, c.before = c.before, c.threads
	return compared, miss
}
