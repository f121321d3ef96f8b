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
func (o *Observer) Observe(ev *governor.Event, actions []governor.Action) {
	switch ev.Kind {
	case governor.Begin:
		o.begin, o.end = ev.At, ev.At
	case governor.Ending:
		o.ending = ev.At
	case governor.End:
		o.end = ev.At
	case governor.Sched:
		if ev.Sched.Kind == epochs.Phase && ev.Sched.Cause == epochs.CollectionBegins {
			o.r.Collections++
		}
	case governor.Overhead:
		o.r.DisplacedNS, o.r.TracedNS = int64(ev.Displaced), int64(ev.Traced)
	case governor.Traffic:
		o.traffic(ev)
	case governor.Applied:
		if ev.Refusal != "" {
			o.refused[ev.Refusal]++
		}
	}
	for i := range actions {
		switch a := &actions[i]; a.Kind {
		case governor.Decided:
			o.quantum(&a.Quantum)
		case governor.Rest:
			o.rest = a.Rest.From
		case governor.Unheeded, governor.Limited, governor.Heeded, governor.Insist:
			o.clock.observe(a, o.end)
		}
	}
}

func (o *Observer) quantum(q *governor.Quantum) {
	r := o.r
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
	if n := int64(q.Dur) / max(r.QuantumNS, 1); q.Start == o.rest && o.rest > 0 && n > 1 {
		r.Rests++
		r.RestQuanta += n
	}
	o.end = max(o.end, q.Start+units.Instant(q.Dur))
	o.share[q.Effective] += q.Dur
	if o.slowMax += q.Max; q.AtHighest != 0 { // durations by which the budget is kept
		o.slowMax += q.AtHighest - q.Max
	}
	o.slowEff += q.AtEffective
	o.own += q.Own
	slowdown := ratio(q.AtEffective, q.Max) - 1
	if q.Expected > 0 && q.Busy > 0 {
		o.forecast += math.Abs(q.Expected - 1 - slowdown)
		o.forecasts++
	}
	o.compare(q)
	o.addEnergy(q)
	o.keepQuantum(q, slowdown)
}

func (o *Observer) compare(q *governor.Quantum) {
	r := o.r
	if q.Compared {
		r.Comparisons++
		o.misses += math.Abs(q.Error)
	}
	if q.Reason == policy.ReasonProbe {
		r.Probes++
	}
	r.PredictionBias = q.Bias
	o.alpha += float64(q.Alpha * float64(q.Dur))
}

func (o *Observer) addEnergy(q *governor.Quantum) {
	highest := o.states[len(o.states)-1]
	w := power.Work{CoreBusy: q.ThreadRun, Base: q.Delivered}
	w.DRAMReads, w.DRAMWrites = q.Lines()
	w.F, w.Dur = q.Effective, nanoseconds(q.AtEffective)
	used := o.Power.Energy(w)
	o.energy = o.energy.Plus(used)
	if from := max(q.Start, o.ending); o.ending != 0 && from < q.Start+units.Instant(q.Dur) {
		o.energyEnd = o.energyEnd.Plus(used.Times(float64(q.Start+
			units.Instant(q.Dur)-from) / float64(q.Dur)))
	}
	w.F, w.Dur = highest, nanoseconds(q.Max)
	o.energyMax = o.energyMax.Plus(o.Power.Energy(w))
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

func (o *Observer) keepQuantum(q *governor.Quantum, slowdown float64) {
	o.seen++
	if o.seen%o.keep != 0 {
		return
	}
	if len(o.r.Quanta) == maxQuanta {
		for i := range maxQuanta / 2 {
			o.r.Quanta[i] = o.r.Quanta[2*i+1]
		}
		o.r.Quanta = o.r.Quanta[:maxQuanta/2]
		o.keep *= 2
		if o.seen%o.keep != 0 {
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
	o.r.Quanta = append(o.r.Quanta, Quantum{
		StartNS: int64(q.Start - o.begin), DurNS: int64(q.Dur), FreqHz: int64(q.Delivered),
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
func (o *Observer) Finish() {
	r := o.r
	r.StartedNS, r.WallNS = int64(o.begin), int64(o.end-o.begin)
	if o.ending != 0 {
		r.EndingNS = int64(o.end - o.ending)
	}
	r.SlowdownPredicted = ratio(o.slowEff, o.slowMax) - 1
	o.addOwn()
	if o.forecasts > 0 {
		mean := o.forecast / float64(o.forecasts)
		r.ForecastError = &mean
	}
	if r.Comparisons > 0 {
		mean := o.misses / float64(r.Comparisons)
		r.PredictionError = &mean
	}
	if r.ProfiledNS > 0 {
		r.Alpha = o.alpha / float64(r.ProfiledNS)
	}
	r.Frequencies = r.Frequencies[:0]
	for f, d := range o.share {
		r.Frequencies = append(r.Frequencies, FrequencyShare{FreqHz: int64(f), TimeNS: int64(d)})
	}
	slices.SortFunc(r.Frequencies,
		func(a, b FrequencyShare) int { return int(a.FreqHz/1000 - b.FreqHz/1000) })
	o.chosenBy()
	source := Modelled
	if o.Reference {
		source = Reference
	}
	zone := func(name string, of func(b *power.Breakdown) units.Energy) {
		r.Energy = append(r.Energy, Energy{
			Zone: name, Source: source, Model: o.Power.Name, EnergyNJ: int64(of(&o.energy)),
			EndingNJ:  int64(of(&o.energyEnd)),
			MaxFreqNJ: int64(of(&o.energyMax)), ProfiledNS: r.ProfiledNS,
		})
	}
	zone("cpu", func(b *power.Breakdown) units.Energy { return b.CPUStatic + b.CPUDynamic })
	zone("dram", func(b *power.Breakdown) units.Energy { return b.DRAMStatic + b.DRAMDynamic })
	if o.energyMax.Platform > 0 {
		zone(platformZone, func(b *power.Breakdown) units.Energy { return b.Platform })
	}
	o.measured()
	for why := range o.refused {
		r.Refusals = append(r.Refusals, why)
	}
	slices.Sort(r.Refusals)
	o.clock.warn(o.r, o.end)
}
