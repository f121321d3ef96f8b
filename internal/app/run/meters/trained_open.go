package meters

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/attribution"
	"github.com/ebb-energy/ebb/internal/power/activity"
	"github.com/ebb-energy/ebb/internal/power/activity/jvm"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// OpenTrained opens the sources of the model's inputs.
func OpenTrained(
	ctx context.Context, r *part.Run, m *powermodel.Model, cpus []energy.CPU, argv []string,
) (_ attribution.Meter, err error) {
	source, err := activity.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("--power-model: %w", err)
	}
	source.Add(hardware(r))
	t := &trained{model: m, source: source, cpus: cpus, guest: guest(r, len(cpus))}
	if len(argv) > 0 {
		t.command = filepath.Base(argv[0])
	}
	r.Use(part.Divided, t)
	if t.guest != nil {
		return t, nil
	}
	t.plain = usable(m, activity.Names(len(cpus)), false)
	rich := usable(r.Settings.Methods.PowerModel, inputs(r, len(cpus)), true)
	if rich == m {
		return t, nil
	}
	counted, err := openEvents(ctx, r, rich, argv)
	if counted != nil {
		t.rich, t.events = rich, counted
	}
	return t, err
}

// usable returns the model's richest tier whose inputs this machine has, with or without the events
// of JVMs.
func usable(m *powermodel.Model, has []string, withEvents bool) *powermodel.Model {
	return m.Usable(func(input string) bool {
		return slices.Contains(has, input) || withEvents && jvm.EventOf(input) != ""
	})
}

// inputs returns the names of a power model's inputs that this machine has, without events of JVMs.
func inputs(r *part.Run, cpus int) []string {
	h := hardware(r)
	return append(activity.Names(cpus), h.Names()...)
}

// hardware returns the machine's figures beside its kernel's counts: the run's own counters, and
// its clock.
func hardware(r *part.Run) activity.Hardware {
	h := activity.Hardware{Counters: r.Counted.Names, FDs: r.Counted.FDs}
	if host, err := cpufreq.Open(r.Sysfs); err == nil && host.Clock() > 0 {
		h.Frequency = host.Clock
	}
	return h
}

// errOtherMachine: the model is of another machine.
var errOtherMachine = errors.New("the power model was trained on another machine")

// meetMachine refuses a model of another machine, unless it was asked for.
func meetMachine(m *powermodel.Model, cpuModel string, cpus int, guest, asked bool) error {
	p := &m.Provenance
	if p.CPUModel == cpuModel && p.CPUs == cpus || asked {
		return nil
	}
	what := "on real servers another machine's model erred by 25 % on average, and up to 63 %"
	if guestOf(m, cpuModel, cpus, guest) != nil {
		what = "it takes this guest for a part of that machine, beside neighbours that nobody knows"
	}
	return fmt.Errorf("%w: %s of %q, and not %d of %q as here; --other-machine uses it all "+
		"the same: %s", errOtherMachine, printable.Count(p.CPUs, "CPU"), p.CPUModel, cpus, cpuModel,
		what)
}
