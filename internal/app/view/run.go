package view

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/energy/export"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// runOf returns the run for a report's page. Besides the attribution, older reports have fewer
// fields, and one that has an attribution alone has none.
func runOf(r *report.Report) *export.Run {
	run := &export.Run{Name: r.Name(), Command: r.Command, Date: r.Date, Host: hostOf(&r.Host),
		ExitStatus: r.ExitStatus, Wall: time.Duration(r.WallNS), Power: r.Power.Lines(),
		Energy: energyOf(r), Shadow: r.Actuator == cpufreq.Shadow}
	if v := r.Verdict; v != nil {
		run.Answer, run.Verdict, run.Better = string(v.Answer), v.Line, v.Better
	}
	if run.Short = r.TooShort(); r.ProfiledNS > 0 && !run.Short {
		idle := float64(r.IdleNS) / float64(r.ProfiledNS)
		run.Idle = &idle
	}
	if t := r.ThreadTime; t != nil {
		run.Threads = threadParts(t)
	}
	for i := range r.Energy {
		if r.Energy[i].Joules() {
			run.Savings = append(run.Savings, savingOf(r, &r.Energy[i]))
		}
	}
	for _, q := range r.Quanta {
		run.Steps = append(run.Steps, export.Step{At: time.Duration(q.StartNS),
			Dur: time.Duration(q.DurNS), Frequency: units.Frequency(q.EffectiveHz)})
	}
	for _, s := range r.Refusals {
		run.Warnings = append(run.Warnings, "refused: "+s)
	}
	for _, s := range r.Warnings {
		run.Warnings = append(run.Warnings, "warning: "+s)
	}
	if r.Version == "" {
		return run
	}
	run.Clock = clockOf(r)
	if !r.TooShort() {
		run.Slowdown = slowdownOf(r)
	}
	run.Records = &export.Records{Lost: r.LostRecords, Holes: r.HoleQuanta, Late: r.StaleQuanta}
	return run
}

// energyOf returns what the table of energies does not say: what a reference processor would have
// saved, that there are no joules, or why two sums differ.
func energyOf(r *report.Report) (texts []string) {
	for _, s := range []string{r.Compared(), r.WithoutJoules(), r.TwoSums()} {
		if s != "" {
			texts = append(texts, s)
		}
	}
	return texts
}

func hostOf(h *report.Host) (words []string) {
	if h.Name != "" {
		words = append(words, h.Name)
	}
	if h.Model != "" {
		words = append(words, h.Model)
	}
	if h.CPUs > 0 {
		words = append(words, printable.Count(h.CPUs, "CPU"))
	}
	if h.Kernel != "" {
		words = append(words, "Linux "+h.Kernel)
	}
	return words
}

func clockOf(r *report.Report) []string {
	if r.Actuator != cpufreq.Shadow {
		return []string{"set by " + r.Actuator}
	}
	mode := "shadow mode, nothing was written"
	if r.ActuatorReason != "" {
		mode += ": " + r.ActuatorReason
	}
	ran := "zones, methods and power are"
	if r.Attribution != nil && !r.Attribution.Joules() {
		ran = "CPU time is"
	}
	return []string{mode, "slowdown and saving are those of the frequencies that ebb would have " +
		"requested; " + ran + " of the program as it ran, assumed to be at the highest frequency"}
}

func threadParts(t *report.ThreadTime) []export.Part {
	return []export.Part{
		{Name: "running", Time: time.Duration(t.RunningNS), Colour: 1},
		{Name: "runnable", Time: time.Duration(t.RunnableNS), Colour: 2},
		{Name: "throttled", Time: time.Duration(t.ThrottledNS), Colour: 4},
		{Name: "waiting for the program", Time: time.Duration(t.WaitProgramNS), Colour: 6},
		{Name: "waiting for the world", Time: time.Duration(t.WaitWorldNS), Colour: 7},
	}
}

func slowdownOf(r *report.Report) *export.Slowdown {
	s := &export.Slowdown{ByClock: r.SlowdownPredicted, Goal: "objective " + r.Objective}
	switch r.Objective {
	case "slowdown":
		s.Goal, s.Budget = "budget", &r.SlowdownBudget
	case "fixed":
		s.Goal = units.Frequency(r.FixedHz).String() + " all the time"
	}
	// Tracing costs each run something, so without any cost it was not measured.
	if r.DisplacedNS+r.TracedNS > 0 {
		s.ByEbb, s.Together = &r.SlowdownOwn, &r.SlowdownTotal
	}
	return s
}

func savingOf(r *report.Report, z *report.Energy) export.Saving {
	s := export.Saving{Zone: z.Zone, Used: units.Energy(z.EnergyNJ)}
	if !r.TooShort() {
		s.Highest, s.Low = units.Energy(z.MaxFreqNJ), units.Energy(z.MaxFreqLoNJ)
		s.High = units.Energy(z.MaxFreqHiNJ)
	}
	if z.Source != report.Measured {
		s.Source = fmt.Sprintf("%s: %s; not measured", z.Source, z.Model)
		return s
	}
	s.Source = fmt.Sprintf("measured for the whole machine (RAPL by %s)", z.Meter)
	switch {
	case z.MaxFreqLoNJ > 0:
		s.Source += ", saving by " + printable.Count(r.MeterComparisons, "comparison") +
			" with the highest frequency"
	case z.Model != "":
		s.Source += ", saving by the model " + z.Model
	}
	if note := z.Note(); note != "" {
		s.Source += "; " + note
	}
	return s
}
