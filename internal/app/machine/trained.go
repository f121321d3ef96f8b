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
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// reader reads the kernel's counts. *activity.Source is one.
type reader interface {
	Read() (activity.Reading, error)
	Close() error
}

// trained is a power model in the meters' place. It predicts the machine's energy in a window from
// the kernel's counts in that window.
type trained struct {
	model   *powermodel.Model
	source  reader
	cpus    int
	from    activity.Reading
	known   bool          // from was read at the end of the last window
	to      units.Instant // end of the last window
	power   units.Power   // power of the last window that could be predicted
	windows int
	unread  int   // number of windows whose begin or end could not be read
	problem error // why the last of them could not be read
	outside int   // number of windows with an input outside the model's trained range
	low     units.Energy
	high    units.Energy // low and high sum the ends of the windows that were predicted
	values  []float64
}

// describeModel chooses the tier of the model that needs only the kernel's inputs, and describes
// it. It refuses a model of another machine, unless the user allowed that. It also refuses a model
// whose error is unknown, because groups would have no intervals.
func describeModel(s *Settings, f *wattmeter.Facts) (*powermodel.Model, error) {
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
			"count: make one with ebb train, or ebb model train --inputs os")
	}
	if m.Interval == nil {
		return nil, command.Usagef("--power-model: its error is unknown, because it was trained " +
			"on too few programs")
	}
	f.Model = p.Origin(m.Interval)
	return m, nil
}

// openTrained opens the sources of the model's inputs.
func openTrained(m *powermodel.Model, cpus int) (*trained, error) {
	source, err := activity.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("--power-model: %w", err)
	}
	return &trained{model: m, source: source, cpus: cpus}, nil
}

// zone returns the zone of the meter that the model was trained beside. Its idle power is the
// model's for a machine that does nothing, where the model was trained near that. Otherwise windows
// teach it, as beside a meter.
func (t *trained) zone(all []energy.CPU) energy.Zone {
	t.values = t.model.Values(activity.Idle(t.cpus), t.values[:0])
	z := energy.Zone{Name: profile.TrainedZone, Source: energy.Trained, CPUs: all}
	if !slices.ContainsFunc(t.model.Inputs, func(i powermodel.Input) bool {
		return i.Low > nearIdle*i.High
	}) {
		z.Idle = units.Power(t.model.Predict(t.values).Power)
	}
	return z
}

// nearIdle is the part of an input's highest trained value below which its lowest must be. Only
// then has the model seen a machine that does nothing.
const nearIdle = 0.05

// begin reads the kernel's counts at the begin of the first window.
func (t *trained) begin(at units.Instant) (err error) {
	t.to = at
	t.from, err = t.source.Read()
	t.known = err == nil
	return err
}

// cut predicts the energy that the machine used since the cut before, with the ends of its 90 %
// interval. Two kinds of windows are blind: those that could not be read, which count with the
// power of the one before, and those outside the trained range, where the model's error is not
// known.
func (t *trained) cut(to units.Instant) (used, low, high units.Energy, blind bool) {
	took := to.Sub(t.to)
	t.to = to
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
		t.unread++
		used = t.power.For(took)
		return used, used, used, true
	}
	t.values = t.model.Values(in, t.values[:0])
	p := t.model.Predict(t.values)
	if blind = p.Outside || now.Stat.CPUs != t.cpus; blind {
		t.outside++
	}
	t.power = units.Power(p.Power)
	used, low, high = t.power.For(took), units.Power(p.Low).For(took), units.Power(p.High).For(took)
	t.low, t.high = t.low.Plus(low), t.high.Plus(high)
	return used, low, high, blind
}

// interval returns the ends of the machine's energy so far; false where the error of some windows
// is not known.
func (t *trained) interval() (low, high units.Energy, ok bool) {
	return t.low, t.high, t.unread == 0 && t.outside == 0
}

// doubt names the windows in which the model says nothing of groups; "" where there are none.
func (t *trained) doubt() string {
	var parts []string
	if t.unread > 0 {
		part := fmt.Sprintf("%d of %d windows could not be read", t.unread, t.windows)
		if t.problem != nil {
			part += " (" + t.problem.Error() + ")"
		}
		parts = append(parts, part)
	}
	if t.outside > 0 {
		part := fmt.Sprintf("%d of %d windows were outside the range that the power model was "+
			"trained on", t.outside, t.windows)
		if names := t.model.Beyond(t.values); len(names) > 0 {
			part += ", in the last one " + strings.Join(names[:min(len(names), 3)], ", ")
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + ": what they took is unattributed"
}
