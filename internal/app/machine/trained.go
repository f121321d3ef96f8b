package machine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/power/activity"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/power/powersource"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// reader reads what the kernel has counted. *activity.Source is one.
type reader interface {
	Read() (activity.Reading, error)
	Close() error
}

// trained is a power model in the meters' place: it predicts what the machine used in a window from
// what the kernel counted in it.
type trained struct {
	model   *powermodel.Model
	source  reader
	cpus    int
	from    activity.Reading
	known   bool        // from is the end of the last window
	power   units.Power // of the last window that could be predicted
	windows int
	outside int   // windows with an input outside the range that the model was trained on
	problem error // why the last window that could not be read was not
	low     units.Energy
	high    units.Energy // of all windows
	values  []float64
}

// describeModel chooses the tier of the model that does with the kernel's inputs, and says what it
// is. It refuses a model of another machine, unless that is asked for, and one whose error is
// unknown: a group's interval would be none.
func describeModel(s *Settings, f *powersource.Facts) (*powermodel.Model, error) {
	if s.PowerModel == nil {
		return nil, nil
	}
	p := &s.PowerModel.Provenance
	if (p.CPUModel != f.Processor || p.CPUs != f.CPUs) && !s.OtherMachine {
		return nil, command.Usagef("--power-model: it is of %s of %q, and not %d of %q as here; "+
			"--other-machine uses it all the same", printable.Count(p.CPUs, "CPU"), p.CPUModel,
			f.CPUs, f.Processor)
	}
	names := activity.Names(f.CPUs)
	m := s.PowerModel.Usable(func(input string) bool { return slices.Contains(names, input) })
	if m == nil {
		return nil, command.Usagef("--power-model: it wants inputs that the kernel does not " +
			"count: train it with --inputs os")
	}
	if m.Interval == nil {
		return nil, command.Usagef("--power-model: its error is unknown, because it was trained " +
			"on too few programs")
	}
	f.Model = p.Origin(m.Interval)
	return m, nil
}

// openTrained opens what the model needs.
func openTrained(m *powermodel.Model, cpus int) (*trained, error) {
	source, err := activity.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("--power-model: %w", err)
	}
	return &trained{model: m, source: source, cpus: cpus}, nil
}

// zone is what the meter measured that the model was trained beside. Its idle power is the model's
// for a machine that does nothing.
func (t *trained) zone(all []energy.CPU) energy.Zone {
	t.values = t.model.Values(activity.Idle(t.cpus), t.values[:0])
	return energy.Zone{Name: profile.TrainedZone, Source: energy.Trained, CPUs: all,
		Idle: units.Power(t.model.Predict(t.values).Power)}
}

// begin reads the begin of the first window.
func (t *trained) begin() (err error) {
	t.from, err = t.source.Read()
	t.known = err == nil
	return err
}

// cut predicts what the machine used in a window, with the ends of its 90 % interval. Blind are
// windows that could not be read, which count with the power of the one before, and those outside
// of what the model was trained on.
func (t *trained) cut(from, to units.Instant) (used, low, high units.Energy, blind bool) {
	defer func() { t.low, t.high = t.low.Plus(low), t.high.Plus(high) }()
	took := to.Sub(from)
	t.windows++
	now, err := t.source.Read()
	in := activity.Inputs{}
	if err == nil && t.known {
		in, err = activity.Between(&t.from, &now)
	}
	blind = err != nil || !t.known
	if t.known = err == nil; t.known {
		t.from = now
	} else {
		t.problem = err
	}
	if blind {
		used = t.power.For(took)
		return used, used, used, true
	}
	t.values = t.model.Values(in, t.values[:0])
	p := t.model.Predict(t.values)
	if blind = p.Outside || now.Stat.CPUs != t.cpus; blind {
		t.outside++
	}
	t.power = units.Power(p.Power)
	return t.power.For(took), units.Power(p.Low).For(took), units.Power(p.High).For(took), blind
}

// doubt says in which windows the model says nothing of groups; "" where it does in all.
func (t *trained) doubt() string {
	switch {
	case t.outside == 0 && t.problem == nil:
		return ""
	case t.outside == 0:
		return "the power model's inputs could not be read: " + t.problem.Error()
	}
	beyond := ""
	if names := t.model.Beyond(t.values); len(names) > 0 {
		beyond = ", in the last one " + strings.Join(names[:min(len(names), 3)], ", ")
	}
	return fmt.Sprintf("%d of %d windows were outside the range that the power model was trained "+
		"on%s: what they took is unattributed", t.outside, t.windows, beyond)
}
