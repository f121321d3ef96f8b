package run

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/cpufreq/settle"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/inventory"
)

// openTracer loads the BPF programs for the quantum and hold-off of the settings.
func (r *run) openTracer() error {
	s := r.settings
	trace := bpf.Config{Quantum: s.Quantum, HoldOff: s.HoldOff, RingBytes: s.RingBytes,
		Counters: r.Counted.FDs, Cgroup: r.target.cgroupID(), Rests: s.rests(),
		Tenants:      s.Tenants.File != "",
		Types:        r.Types,
		Births:       s.births(),
		Forget:       s.Tenants.Instruments != nil,
		Instructions: slices.Index(r.Counted.Names, hpc.Instructions),
		Requests:     slices.Index(r.Counted.Names, hpc.DRAMReads)}
	t, err := bpf.Open(trace)
	if err != nil {
		return part.Explain(err)
	}
	r.Tracer = t
	return nil
}

// measureSettle measures the settle time, unless it is given or does not matter. It fits quantum
// and hold-off to it, unless the user gave one of them. If they change, it reloads the tracer,
// whose programs contain them. The tracer was loaded before, so that ebb writes nothing to a
// machine that it cannot trace.
func (r *run) measureSettle() error {
	s, d := r.settings, &r.Report
	if r.Actuator.Name() == cpufreq.Shadow || s.Frequency > 0 {
		return nil
	}
	if s.Settle > 0 {
		d.SettleP99NS, d.SettleSource = int64(s.Settle), "given"
		return nil
	}
	if !inventory.KernelsOwn(s.Roots.Sysfs) {
		d.SettleNote = s.Roots.Sysfs +
			" is no tree of this machine's kernel: a setting there does not reach the clock"
		r.settling = "settle time unknown: " + d.SettleNote
		return nil
	}
	found, err := settle.Run(r.Sysfs, r.Actuator)
	if states := r.Actuator.States(); found.Short(states[len(states)-1]) {
		d.Warnings = append(d.Warnings,
			fmt.Sprintf(
				"%s was requested and %s delivered, by %s: the hardware or a cap limits the clock",
				states[len(states)-1].Text(), found.Highest.Text(), found.Source,
			))
	}
	if errors.Is(err, settle.ErrNoEffect) {
		return r.standBack(err)
	}
	if err != nil {
		r.settling = "settle time unknown: " + err.Error()
		d.SettleNote = err.Error()
		return nil
	}
	d.SettleP50NS, d.SettleP99NS, d.SettleSource = int64(found.P50), int64(found.P99), found.Source
	r.settling = found.String()
	if !s.fit(found.P99) {
		return nil
	}
	r.settling += fmt.Sprintf("; so it decides every %v",
		s.Quantum*time.Duration(s.HoldOff))
	if err := r.Tracer.Close(); err != nil {
		return err
	}
	return r.openTracer()
}

// standBack gives up an actuator whose requests read back but have no effect. Predictions and
// accounts for the requested clocks would be wrong.
func (r *run) standBack(why error) error {
	r.Report.SettleNote = why.Error()
	if _, err := r.Actuator.Close(); err != nil {
		return restoreError(err)
	}
	r.Actuator = cpufreq.NewShadow(r.Actuator.Name() + " has no effect: " + why.Error())
	r.Report.Warnings = append(r.Report.Warnings, r.Actuator.Reason())
	return nil
}
