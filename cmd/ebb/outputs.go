package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/table"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/replay"
	"github.com/ebb-energy/ebb/internal/output"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/report"
	"github.com/ebb-energy/ebb/sandbox"
)

// outputs creates the files that were asked for, before the target starts.
func (n *session) outputs(cfg *governor.Config) (err error) {
	s := n.settings
	if s.report != "" {
		if n.reportFile, err = fileFor("--report", s.report); err != nil {
			return err
		}
	}
	if s.record != "" {
		if n.recording, err = fileFor("--record", s.record); err != nil {
			return err
		}
		n.recording.Impatient()
		if n.recorder, err = replay.NewRecorder(n.machine, *cfg, n.recording); err != nil {
			return err
		}
	}
	if s.epochs != "" {
		if n.table, err = newTable(s.epochs, cfg.Counters); err != nil {
			return usagef("--epochs: %w", err)
		}
		n.governor.Epochs(n.writeEpoch)
	}
	return nil
}

// newTable begins an epoch table.
func newTable(path string, counters []string) (*table.Writer, error) {
	if err := output.Check(path); err != nil {
		return nil, err
	}
	rows, err := output.Scratch(path)
	if err != nil {
		return nil, err
	}
	w, err := table.NewWriter(path, rows, counters)
	if err != nil {
		return nil, errors.Join(err, rows.Close())
	}
	return w, nil
}

// writeEpoch adds an epoch to the table, whose time begins with the target's.
func (n *session) writeEpoch(e *epochs.Epoch) {
	if n.tableErr != nil {
		return
	}
	relative := *e
	relative.Start -= epochs.Ticks(n.governor.Start())
	n.tableErr = n.table.Write(&relative)
}

// announce says in a line what ebb is going to do to the machine.
func (n *session) announce() string {
	if n.actuator.Name() == cpufreq.Shadow {
		return "shadow mode, nothing is written: " + n.actuator.Reason()
	}
	doing := "setting the frequency by " + n.actuator.Name() + ": " + n.actuator.Reason()
	if n.settling != "" {
		doing += "; " + n.settling
	}
	return doing
}

// allScales is what it means that nothing tells which part of the running time waits for memory.
const allScales = "all running time is taken to scale with the clock, which predicts too much slowdown rather than too little"

// describe fills in what the report says before the run.
func (n *session) describe(args []string, cfg *governor.Config) {
	r := &n.report
	r.Version = version()
	r.Command = strings.Join(args, " ")
	r.Host = report.Host{Kernel: kernelRelease(), CPUs: runtime.NumCPU(), Model: cpuModel()}
	r.Objective = string(cfg.Objective)
	if cfg.Objective == governor.Slowdown {
		r.SlowdownBudget = float64(cfg.Slowdown)
	}
	if cfg.Objective == governor.Fixed {
		r.FixedHz = int64(cfg.Frequency)
	}
	r.Actuator, r.ActuatorReason = n.actuator.Name(), n.actuator.Reason()
	p := n.governor.PredictorConfig()
	r.Model, r.Estimator = p.Model, p.Estimator
	r.Counters = cfg.Counters
	if r.Estimator == "none" {
		r.EstimatorNote = "no counters of memory stalls: " + allScales
	}
	if cfg.Objective == governor.Slowdown {
		r.Rule, r.Margin = string(cfg.Rule), cfg.Margin.String()
	} else if slices.Contains(policy.SystemRules(), string(cfg.Rule)) {
		r.Rule = string(cfg.Rule)
	}
	if r.PowerParameters = report.PowerStated; n.settings.config.Power.Guessed() {
		r.PowerParameters = report.PowerDefault
	}
	r.QuantumNS, r.HoldOff = int64(cfg.Quantum), cfg.HoldOff
}

// commandTime bounds how long a running process's command line is waited for. It lies in the
// process's memory, which a page that never comes can keep from being read.
const commandTime = time.Second

// commandOf is the command line of a running process; its id when that is not to be had.
func commandOf(pid int) string {
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	line, err := sandbox.CommandLine(ctx, pid)
	if err != nil || line == "" {
		return fmt.Sprintf("pid %d", pid)
	}
	return line
}

// tableHeader is the first line of the epoch table. In shadow mode nobody knows the real clock: the
// program is taken to have run at the virtual processor's highest frequency, and the header says
// so.
func (n *session) tableHeader() table.Header {
	h := table.Header{
		Workload: n.workload, Frequency: n.machine.Base(), TimeUnit: epochs.Nanosecond,
	}
	if n.actuator.Name() == cpufreq.Shadow {
		h.SetFrequencySource(table.Assumed)
	}
	return h
}
