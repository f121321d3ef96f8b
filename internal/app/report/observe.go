package report

import (
	"math"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/saving"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// Observer is a governor.Observer that adds up what a run's report says. It keeps decisions, at 150
// bytes each. An hour's at 5 ms would be 100 MB, so it thins them beyond maxQuanta. Totals stay
// whole.
type Observer struct {
	Power power.Model
	// Reference says that nobody named the power model, which describes no machine. Its energies
	// serve to compare two clocks, and are shown as shares alone.
	Reference bool
	// Sampled says that the program's methods are sampled or its calls counted, which no hold-off
	// makes cheaper.
	Sampled    bool
	begin, end units.Instant
	ending     units.Instant // time at which the target was asked to end; 0: it was not
	slowMax    float64       // sum of predicted durations at the highest frequency
	slowEff    float64       // sum of predicted durations at the frequencies in effect
	own        time.Duration // ebb's own cost to the program, by the quanta
	forecast   float64
	forecasts  int
	misses     float64
	alpha      float64
	energy     power.Breakdown
	energyMax  power.Breakdown
	energyEnd  power.Breakdown // energy after ending
	// moved has the lines read and written at the first reading of the memory controllers.
	moved   [2]uint64
	r       *Report
	share   map[units.Frequency]time.Duration
	states  []units.Frequency
	keep    int // every keep-th quantum is kept
	seen    int
	rest    units.Instant // begin of the last rest
	refused map[string]int
	clock   doubts
	saving  *saving.Estimate // nil: unknown, and the six steps account
}

// maxQuanta is the number of decisions that a report keeps: almost three minutes of 5 ms quanta, 5
// MB. Beyond it every second one is dropped, and of later ones every second one is kept.
const maxQuanta = 1 << 15

// NewObserver fills r while the run goes on. states are the frequencies the policy chooses from.
func NewObserver(r *Report, states []units.Frequency, m power.Model) *Observer {
	return &Observer{Power: m, r: r, states: states, share: map[units.Frequency]time.Duration{},
		keep: 1, refused: map[string]int{}}
}

// Observe implements governor.Observer.
func (c *Observer) Observe(ev *governor.Event, actions []governor.Action) {
	switch ev.Kind {
	case governor.Begin:
		c.begin, c.end = ev.At, ev.At
	case governor.Ending:
		c.ending = ev.At
	case governor.End:
		c.end = ev.At
	case governor.Sched:
		if ev.Sched.Kind == epochs.Phase && ev.Sched.Cause == epochs.CollectionBegins {
			c.r.Collections++
		}
	case governor.Overhead:
		c.r.DisplacedNS, c.r.TracedNS = int64(ev.Displaced), int64(ev.Traced)
	case governor.Traffic:
		c.traffic(ev)
	case governor.Applied:
		if ev.Refusal != "" {
			c.refused[ev.Refusal]++
		}
	}
	for i := range actions {
		switch a := &actions[i]; a.Kind {
		case governor.Decided:
			c.quantum(&a.Quantum)
		case governor.Rest:
			c.rest = a.Rest.From
		case governor.Unheeded, governor.Limited, governor.Heeded, governor.Insist:
			c.clock.observe(a, c.end)
		}
	}
}

func (c *Observer) quantum(q *governor.Quantum) {
	r := c.r
	r.ProfiledNS += int64(q.Dur)
	r.IdleNS += int64(q.Dur - q.Busy)
	r.WaitedNS += int64(q.Waited)
	r.Epochs += int64(q.Epochs)
	r.Rows += int64(q.Rows)
	r.LostRecords += q.Lost
	if q.Chosen > 0 {
		r.Decisions++
	}
	if q.Hole {
		r.HoleQuanta++
	}
	if q.Stale {
		r.StaleQuanta++
	}
	if n := int64(q.Dur) / max(r.QuantumNS, 1); q.Start == c.rest && c.rest > 0 && n > 1 {
		r.Rests++
		r.RestQuanta += n
	}
	c.end = max(c.end, q.Start+units.Instant(q.Dur))
	c.share[q.Effective] += q.Dur
	if c.slowMax += q.Max; q.AtHighest != 0 { // durations by which the budget is kept
		c.slowMax += q.AtHighest - q.Max
	}
	c.slowEff += q.AtEffective
	c.own += q.Own
	slowdown := ratio(q.AtEffective, q.Max) - 1
	if q.Expected > 0 && q.Busy > 0 {
		c.forecast += math.Abs(q.Expected - 1 - slowdown)
		c.forecasts++
	}
	c.compare(q)
	c.addEnergy(q)
	c.keepQuantum(q, slowdown)
}

func (c *Observer) compare(q *governor.Quantum) {
	r := c.r
	if q.Compared {
		r.Comparisons++
		c.misses += math.Abs(q.Error)
	}
	if q.Reason == policy.ReasonProbe {
		r.Probes++
	}
	r.PredictionBias = q.Bias
	c.alpha += float64(q.Alpha * float64(q.Dur))
}

func (c *Observer) addEnergy(q *governor.Quantum) {
	highest := c.states[len(c.states)-1]
	w := power.Work{CoreBusy: q.ThreadRun, Base: q.Delivered}
	w.DRAMReads, w.DRAMWrites = q.Lines()
	w.F, w.Dur = q.Effective, nanoseconds(q.AtEffective)
	used := c.Power.Energy(w)
	c.energy = c.energy.Plus(used)
	if from := max(q.Start, c.ending); c.ending != 0 && from < q.Start+units.Instant(q.Dur) {
		c.energyEnd = c.energyEnd.Plus(used.Times(float64(q.Start+
			units.Instant(q.Dur)-from) / float64(q.Dur)))
	}
	w.F, w.Dur = highest, nanoseconds(q.Max)
	c.energyMax = c.energyMax.Plus(c.Power.Energy(w))
}

// platformZone is the zone of all but processor and memory. The configuration states its power.
const platformZone = "platform"

func nanoseconds(v float64) time.Duration { return time.Duration(math.Round(v)) }

func ratio(a, b float64) float64 {
	if b <= 0 {
		return 1
	}
	return a / b
}

func (c *Observer) keepQuantum(q *governor.Quantum, slowdown float64) {
	c.seen++
	if c.seen%c.keep != 0 {
		return
	}
	if len(c.r.Quanta) == maxQuanta {
		for i := range maxQuanta / 2 {
			c.r.Quanta[i] = c.r.Quanta[2*i+1]
		}
		c.r.Quanta = c.r.Quanta[:maxQuanta/2]
		c.keep *= 2
		if c.seen%c.keep != 0 {
			return
		}
	}
	expected := 0.0
	if q.Expected > 0 {
		expected = q.Expected - 1
	}
	var missed *float64
	if q.Compared {
		e := q.Error // a copy, so that the report does not keep q
		missed = &e
	}
	c.r.Quanta = append(c.r.Quanta, Quantum{
		StartNS: int64(q.Start - c.begin), DurNS: int64(q.Dur), FreqHz: int64(q.Delivered),
		EffectiveHz:          int64(q.Effective),
		PredictedMaxNS:       int64(nanoseconds(q.Max)),
		PredictedEffectiveNS: int64(nanoseconds(q.AtEffective)),
		ExpectedSlowdown:     expected, Slowdown: slowdown,
		Epochs: q.Epochs, BusyNS: int64(q.Busy), RunNS: int64(q.ThreadRun),
		ChosenHz: int64(q.Chosen), PredictedChosenNS: int64(nanoseconds(q.ChosenDur)),
		SlackNS: int64(q.Slack), Reason: string(q.Reason),
		PredictionError: missed, Alpha: q.Alpha, Doubt: q.Doubt,
	})
}

// Finish completes the report once the run has ended.
func (c *Observer) Finish() {
	r := c.r
	r.StartedNS, r.WallNS = int64(c.begin), int64(c.end-c.begin)
	if c.ending != 0 {
		r.EndingNS = int64(c.end - c.ending)
	}
	r.SlowdownPredicted = ratio(c.slowEff, c.slowMax) - 1
	c.addOwn()
	if c.forecasts > 0 {
		mean := c.forecast / float64(c.forecasts)
		r.ForecastError = &mean
	}
	if r.Comparisons > 0 {
		mean := c.misses / float64(r.Comparisons)
		r.PredictionError = &mean
	}
	if r.ProfiledNS > 0 {
		r.Alpha = c.alpha / float64(r.ProfiledNS)
	}
	r.Frequencies = r.Frequencies[:0]
	for f, d := range c.share {
		r.Frequencies = append(r.Frequencies, FrequencyShare{FreqHz: int64(f), TimeNS: int64(d)})
	}
	slices.SortFunc(r.Frequencies,
		func(a, b FrequencyShare) int { return int(a.FreqHz/1000 - b.FreqHz/1000) })
	c.chosenBy()
	source := Modelled
	if c.Reference {
		source = Reference
	}
	zone := func(name string, of func(b *power.Breakdown) units.Energy) {
		r.Energy = append(r.Energy, Energy{
			Zone: name, Source: source, Model: c.Power.Name, EnergyNJ: int64(of(&c.energy)),
			EndingNJ:  int64(of(&c.energyEnd)),
			MaxFreqNJ: int64(of(&c.energyMax)), ProfiledNS: r.ProfiledNS,
		})
	}
	zone("cpu", func(b *power.Breakdown) units.Energy { return b.CPUStatic + b.CPUDynamic })
	zone("dram", func(b *power.Breakdown) units.Energy { return b.DRAMStatic + b.DRAMDynamic })
	if c.energyMax.Platform > 0 {
		zone(platformZone, func(b *power.Breakdown) units.Energy { return b.Platform })
	}
	c.measured()
	for why := range c.refused {
		r.Refusals = append(r.Refusals, why)
	}
	slices.Sort(r.Refusals)
	c.clock.warn(c.r, c.end)
}
