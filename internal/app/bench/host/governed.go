package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/units"
)

// governed has ebb run the program, in a process of its own. It is the ebb that a user would start,
// with all its costs.
func (r *Runner) governed(ctx context.Context, s bench.Setting) (m bench.Measurement, err error) {
	dir, err := safefile.TemporaryDirectory()
	if err != nil {
		return m, fmt.Errorf("create a directory for the report: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "report.json")
	argv := append(append([]string{}, r.Ebb...), "run", "--quiet", "--report", file, "--run-dir",
		r.RunDir)
	if s.Kind == bench.SystemEnergy {
		argv = append(argv, "--minimize", "system-energy")
	} else {
		argv = append(argv, "--slowdown", s.Slowdown.String())
	}
	argv = append(argv, r.EbbFlags...)
	if r.Rule != "" && r.System == (s.Kind == bench.SystemEnergy) {
		argv = append(argv, "--rule", r.Rule)
	}
	argv = append(append(argv, "--"), r.Command...)
	took, err := r.start(ctx, argv, nil)
	if err != nil {
		// A killed ebb leaves its snapshot.
		if _, restoreErr := cpufreq.Restore(r.RunDir, r.Sysfs); restoreErr != nil {
			err = errors.Join(err, putBack(restoreErr))
		}
		return m, err
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return m, fmt.Errorf("read ebb's report: %w", err)
	}
	rep, err := report.Decode(b)
	if err != nil {
		return m, fmt.Errorf("read ebb's report: %w", err)
	}
	m, err = measurement(rep, took.CPU, r.Source())
	r.withPlatform(&m)
	return m, err
}

// withPlatform adds the stated power of everything else to the energy that meters of processor and
// memory counted, so that totals of all settings cover the same. A model's energy has it already.
func (r *Runner) withPlatform(m *bench.Measurement) {
	if m.Source == bench.Measured && r.Power.Platform > 0 && len(m.Zones) > 0 {
		m.Zones = append(m.Zones, bench.Zone{Name: bench.Platform,
			Energy: r.Power.Platform.For(m.Wall)})
	}
}

// measurement takes the run's figures from a report. The CPU time is the program's, without ebb's.
func measurement(
	rep *report.Report, cpu time.Duration, source bench.Source,
) (bench.Measurement, error) {
	m := bench.Measurement{Wall: time.Duration(rep.WallNS),
		CPU: cpu - time.Duration(rep.OwnCPUNS), Source: source}
	if rep.Actuator == cpufreq.Shadow {
		return m, fmt.Errorf("%w any more: %s", ErrNoControl, rep.ActuatorReason)
	}
	if m.Wall <= 0 {
		return m, errors.New("ebb's report has no time")
	}
	trouble := slices.Clone(rep.Refusals)
	if rep.LostRecords > 0 {
		trouble = append(trouble, printable.Count(rep.LostRecords, "record")+" lost")
	}
	for i := range rep.Energy {
		z := &rep.Energy[i]
		e := units.Energy(z.EnergyNJ)
		var name string
		counted := false
		switch {
		case z.Source == report.Measured && source == bench.Measured:
			name, counted = zoneOf(z.Kind)
			if counted && z.Doubt != "" {
				return m, fmt.Errorf("read the energy meter: %s", z.Doubt)
			}
			if note := z.Note(); counted && note != "" {
				return m, fmt.Errorf("energy meter %s: %s", z.Zone, note)
			}
		case z.Source != report.Measured && source != bench.Measured:
			name, counted = modelledZones[z.Zone]
			if z.ProfiledNS > 0 { // the model saw the profiled quanta only
				e = units.Energy(float64(e) * (float64(rep.WallNS) / float64(z.ProfiledNS)))
			}
		}
		if counted {
			m.Zones = append(m.Zones, bench.Zone{Name: name, Energy: e})
		}
	}
	if len(m.Zones) == 0 {
		m.Source = bench.Unknown
		trouble = append(trouble, "ebb's report has no energy that is "+string(source))
	}
	m.Trouble = strings.Join(trouble, "; ")
	return m, nil
}

// modelledZones are the report's names of modelled zones.
var modelledZones = map[string]string{"cpu": bench.Processor, "dram": bench.Memory,
	"platform": bench.Platform}
