package report

import (
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/energy/verdict"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/units"
)

// Judge adds the verdict, once all else is in the report.
func (r *Report) Judge() {
	f := verdict.Facts{
		Control: r.Actuator != "shadow", NoControl: r.ActuatorReason,
		Lost: r.SlowdownTotal, Wall: time.Duration(r.WallNS), Pairs: r.MeterComparisons,
		Counters: len(r.Counters) > 0, Budget: units.Slowdown(r.SlowdownBudget),
		Fixed: r.FixedHz > 0, Minimize: r.Objective == string(governor.SystemEnergy),
		Own:   r.SlowdownOwn,
		Table: r.Sensitivity != nil && r.Sensitivity.Verdict != ProvenWrong,
	}
	r.judgeClock(&f)
	r.judgeLimits(&f)
	r.judgeShare(&f)
	r.judgeEnergy(&f)
	r.Verdict = verdict.Of(&f)
	if r.Attribution != nil {
		r.Verdict.Better = append(r.Attribution.WithoutSpinning(), r.Verdict.Better...)
	}
}

// steady is the share of time at one frequency from which on a fixed one would do as well.
const steady = 0.95

// judgeClock adds the frequencies that were in effect.
func (r *Report) judgeClock(f *verdict.Facts) {
	var all int64
	var cycles float64
	for _, x := range r.Frequencies {
		all += x.TimeNS
		cycles += float64(x.FreqHz) * float64(x.TimeNS)
	}
	if all > 0 && r.HighestHz > 0 {
		f.Pace = cycles / float64(r.HighestHz) / float64(all)
	}
	doubts := 0
	for i := range r.Quanta {
		if r.Quanta[i].Reason == string(policy.ReasonDoubt) {
			doubts++
		}
	}
	f.Doubt = 2*doubts > len(r.Quanta)
	for _, x := range r.Frequencies {
		if x.FreqHz == r.HighestHz || x.TimeNS == 0 {
			continue
		}
		f.Below = true
		if share(x.TimeNS, all) >= steady {
			f.AsGood = units.Frequency(x.FreqHz)
		}
	}
}

// judgeShare adds the target's part of the busy CPU time. ebb's own time is nobody's.
func (r *Report) judgeShare(f *verdict.Facts) {
	var own int64
	for _, t := range r.Threads {
		own += t.RunNS
	}
	others := r.MachineBusyNS - own - r.ownBesideNS()
	if r.MachineBusyNS <= 0 || own <= 0 {
		return
	}
	command, _, _ := strings.Cut(r.Command, " ")
	f.Client = verdict.Client(command)
	f.Others = time.Duration(max(others, 0))
	f.Share = share(own, own+int64(f.Others))
}

// judgeEnergy adds the used energy and that at the highest frequency: by the meters of packages and
// memory, or by the model.
func (r *Report) judgeEnergy(f *verdict.Facts) {
	m := r.metered()
	for i := range r.Energy {
		if z := &r.Energy[i]; z.Doubt != "" && slices.Contains(meteredKinds[:], z.Kind) {
			f.Disbelieved = z.Doubt
		}
	}
	used, top, least, most := m.used, m.top, m.lo, m.hi // least and most bound top
	if f.Metered = m.packages && f.Disbelieved == ""; !f.Metered {
		if used, top = r.modelled(); used == 0 {
			used, top = r.reference()
			f.Reference = used > 0
		}
		least, most = top, top
	}
	if i := slices.IndexFunc(r.Energy,
		func(z Energy) bool { return z.Zone == platformZone }); i >= 0 && r.WallNS > 0 {
		f.Platform = units.Energy(r.Energy[i].EnergyNJ).Over(time.Duration(r.Energy[i].ProfiledNS))
	}
	f.Used = units.Energy(used)
	f.Saved, f.Lo, f.Hi = saved(used, top), saved(used, least), saved(used, most)
}

// sound reports whether a measured zone shows both the used energy and that at the highest
// frequency.
func (e *Energy) sound() bool {
	return !e.Frozen && e.Resets == 0 && e.Problem == "" && e.Doubt == "" && e.MaxFreqLoNJ > 0
}

// saved returns the share by which used is less than top.
func saved(used, top int64) float64 {
	if top <= 0 {
		return 0
	}
	return 1 - float64(used)/float64(top)
}

// verdictLines print the verdict, before anything else.
func (r *Report) verdictLines(p func(string, string, ...any)) {
	if r.Verdict == nil {
		return
	}
	p("verdict", "%s", r.Verdict.Line)
	for _, s := range r.Verdict.Better {
		p("better", "%s", s)
	}
}
