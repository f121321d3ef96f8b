package doctor

import (
	"errors"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/rapl"
	"github.com/ebb-energy/ebb/units"
)

// examineCounters opens the counters that a run would count.
func examineCounters(fs *sysfs.FS) Finding {
	machine, err := sysfs.ReadLayout(fs)
	if err != nil {
		return Finding{"counters", Warning, err.Error(), ""}
	}
	families := inventory.Families()
	f := Finding{What: "counters", State: Good}
	known := "the processor is not in ebb's table of events"
	if len(families) > 0 {
		known = "events of " + hpc.Titles(families)
	}
	open, set, passed, err := perfevent.Best(hpc.Sets(families), machine.Numbers())
	switch {
	case err == nil:
		f.Detail = strings.Join(set.Counters, ", ") + " (" + known + "); estimator " +
			estimatorFor(set.Counters)
		if !slices.Contains(set.Counters, hpc.StallLo) {
			f.Detail += "; memory stalls are not counted: " + report.AllScales
		}
		for _, p := range passed {
			f.Detail += "; not more: " + p.Error()
		}
		f.Advice = moreCounters(passed)
		if err := open.Close(); err != nil {
			f.Detail += "; closing them: " + err.Error()
		}
	case errors.Is(err, perfevent.ErrNotSupported), errors.Is(err, perfevent.ErrNoCounter):
		f.State, f.Detail = Missing, "no PMU ("+err.Error()+"): "+report.AllScales
		f.Advice = "let the hypervisor pass the PMU through, or use a table of functions from a " +
			"machine that has one: ebb run --sensitivity"
	case errors.Is(err, perfevent.ErrPermission):
		f.State, f.Detail, f.Advice = Warning, err.Error(), "run as root: sudo ebb doctor"
		if errors.Is(err, perfevent.ErrParanoid) {
			f.Advice += "; with CAP_PERFMON alone: sysctl kernel.perf_event_paranoid=2"
		}
	default:
		f.State, f.Detail = Warning, err.Error()
	}
	return f
}

// moreCounters returns the advice for a richer set of counters; empty if there is none.
func moreCounters(passed []error) string {
	for _, err := range passed {
		if errors.Is(err, perfevent.ErrNoCounter) {
			return "free the counter that the lockup watchdog holds: sysctl " +
				"kernel.nmi_watchdog=0; on processors with TSX_FORCE_ABORT also echo 1 > " +
				"/sys/bus/event_source/devices/cpu/allow_tsx_force_abort"
		}
	}
	return ""
}

// estimatorFor returns the estimator that a run would choose for these counters.
func estimatorFor(counters []string) string {
	p, err := predictor.New(predictor.Config{Model: predictor.DefaultModel, CTP: predictor.Across},
		counters)
	if err != nil {
		return "unknown (" + err.Error() + ")"
	}
	return p.Config().Estimator
}

// examineMeter opens the meters that a run would read.
func examineMeter(fs *sysfs.FS) Finding {
	m, err := rapl.Open(fs)
	switch {
	case errors.Is(err, rapl.ErrNone):
		// The rest of the error says which zone cannot be read, where there is one.
		why := strings.TrimPrefix(err.Error(), rapl.ErrNone.Error())
		return Finding{"energy meter", Missing, rapl.ErrNone.Error() + " (RAPL)" + why +
			"; shares are of CPU time", ""}
	case errors.Is(err, rapl.ErrPermission):
		return Finding{"energy meter", Warning, err.Error(), "run as root: sudo ebb doctor"}
	case err != nil:
		return Finding{"energy meter", Warning, err.Error(), ""}
	}
	f := Finding{What: "energy meter", State: Good}
	var zones []string
	for _, z := range m.Zones() {
		zones = append(zones, z.Name()+" ("+string(z.Source)+")")
	}
	f.Detail = "RAPL: " + strings.Join(zones, ", ")
	if _, why := m.Counted(); why != "" {
		f.State = Warning
		f.Detail += "; no power is taken from it, because " + why
	}
	facts := inventory.Power()
	m.Bound(func(z *rapl.Zone) (units.Power, string) {
		return wattmeter.Plausible(&facts, string(z.Kind), z.Limit)
	})
	for _, says := range slices.Concat(m.Doubts(), m.TooFast()) {
		f.State = Warning
		f.Detail += "; " + says
	}
	if m.Unread() != "" {
		f.State = Warning
	}
	for _, l := range m.Left {
		f.Detail += "; not read: " + l.Zone.Name() + ", " + l.Why.Error()
	}
	if filtered, err := rapl.Filtered("/dev/cpu/0/msr"); err == nil && filtered {
		f.Detail += "; the processor adds noise against spying, so short intervals are unreliable"
	}
	if err := m.Close(); err != nil {
		f.Detail += "; closing: " + err.Error()
	}
	return f
}
