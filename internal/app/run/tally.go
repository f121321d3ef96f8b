package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
)

// tally adds up the governor's events and decisions.
type tally struct {
	part.Passive
	sums     *report.Observer
	governor *governor.Governor
	printed  bool // the paper's rules choose, so that its six steps account
}

func (r *run) newTally(cfg *governor.Config) *tally {
	l := &tally{sums: report.NewObserver(&r.Report, cfg.States, cfg.Power),
		governor: r.Governor, printed: cfg.Printed()}
	l.sums.Reference, l.sums.Sampled = !r.Settings.Named(), r.settings.Methods.Wanted
	return l
}

func (t *tally) Observer() governor.Observer { return t.sums }

func (t *tally) Finish(_ context.Context, r *report.Report) error {
	r.PowerWindows = t.governor.PowerWindows()
	times := t.governor.ThreadTime()
	r.ThreadTime = &report.ThreadTime{
		RunningNS: int64(times.Running), RunnableNS: int64(times.Runnable),
		ThrottledNS: int64(times.Throttled), WaitProgramNS: int64(times.Program),
		WaitWorldNS: int64(times.World)}
	if !t.printed {
		t.sums.Account(t.governor.Saving())
	}
	t.sums.Finish()
	return nil
}

// describe fills in the report's fields that are known before the run.
func (r *run) describe(argv []string, cfg *governor.Config, p predictor.Config) {
	d := &r.Report
	d.Schema, d.Version = report.Schema, command.Version()
	d.Date = time.Now().Format(time.RFC3339)
	d.Command = strings.Join(argv, " ")
	d.Host = report.Host{Name: inventory.Name(), Kernel: inventory.Kernel(),
		CPUs: inventory.CPUs(), Model: inventory.Processor()}
	d.Objective = string(cfg.Objective)
	if cfg.Objective == governor.Slowdown {
		d.SlowdownBudget = float64(cfg.Slowdown)
	}
	if cfg.Objective == governor.Fixed {
		d.FixedHz = int64(cfg.Frequency)
	}
	d.Actuator, d.ActuatorReason = r.Actuator.Name(), r.Actuator.Reason()
	d.Model, d.Estimator = p.Model, p.Estimator
	d.Counters = cfg.Counters
	if d.Estimator == "none" {
		d.EstimatorNote = "no counters of memory stalls: " + report.AllScales
	}
	if d.Estimator == nonscaling.Functions {
		d.EstimatorNote = fmt.Sprintf("model %s; which time scales is known by function, from %s",
			d.Model, r.settings.Sensitivity.File)
	}
	if cfg.Objective == governor.Slowdown {
		d.Rule, d.Margin = string(cfg.Rule), cfg.Margin.String()
	} else if slices.Contains(policy.SystemRules(), string(cfg.Rule)) {
		d.Rule = string(cfg.Rule)
	}
	if d.PowerParameters = report.PowerStated; r.settings.Power.Guessed() {
		d.PowerParameters = report.PowerDefault
	}
	d.HighestHz = int64(cfg.States[len(cfg.States)-1])
	if l, ok := cpufreq.LimitsOf(r.Actuator); ok && (l.Fixed() || l.Narrow() || l.Turbo ||
		l.Uneven != "") {
		d.Limits = &report.Limits{States: l.States, HighestHz: int64(l.Highest),
			HardwareHz: int64(l.Hardware), File: l.File, Turbo: l.Turbo,
			Uneven: l.Uneven, UnevenHz: int64(l.UnevenAt)}
	}
	d.QuantumNS, d.HoldOff = int64(cfg.Quantum), cfg.HoldOff
}
