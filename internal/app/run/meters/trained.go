package meters

import (
	"errors"
	"math"
	"time"

	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/power/activity"
	"github.com/ebb-energy/ebb/internal/power/activity/jvm"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/units"
)

// TrainedWindow is the length of a window of a trained model: that of the intervals it was trained
// on. In shorter ones the ticks of the kernel's clock are too coarse.
const TrainedWindow = time.Second

// reader reads the kernel's counts. *activity.Source is one.
type reader interface {
	Read() (activity.Reading, error)
	Close() error
}

// events counts the events of the target's JVMs. *jvmEvents is one.
type events interface {
	window(in map[string]float64) (counted bool)
	end() (problems []string)
	close() error
}

// trained is a power model in a meter's place. It predicts the whole machine's power in a window
// from the kernel's counts in it. It is also an instrument, for its part of the report.
type trained struct {
	part.Passive
	model   *powermodel.Model
	plain   *powermodel.Model // model that wants the kernel's inputs alone; nil for none
	rich    *powermodel.Model // model that wants the events of JVMs as well; nil for none
	events  events            // nil without a rich model
	source  reader
	cpus    []energy.CPU
	guest   *guestPart // nil: the model is of a whole machine like this one
	command string

	begun  bool
	from   activity.Reading
	at     units.Instant // time of the last cut
	power  units.Power   // power of the last window that could be read
	values []float64

	used, low, high units.Energy
	unknown         bool // the model has no interval
	windows         int
	richWindows     int // number of windows that the rich model predicted
	plainWindows    int // windows without an input of the model, which the plain one predicted
	outside         int
	beyond          map[string]int // number of windows by the input that was outside; nil for none
	problem         error          // error of the last window that could not be read
}

func (t *trained) Model() string { return t.model.Learner }

// Zones returns one zone: that of the meter beside which the model was trained.
func (t *trained) Zones() []energy.Zone {
	idle := t.predict(t.model, activity.Idle(len(t.cpus)))
	return []energy.Zone{{Name: profile.TrainedZone, CPUs: t.cpus, Source: energy.Trained,
		Idle: units.Power(idle.Power)}}
}

func (t *trained) Fill(*energy.Window) {}

// Cut predicts the energy since the cut before.
func (t *trained) Cut(at units.Instant) []units.Energy {
	now, err := t.source.Read()
	if !t.begun {
		if t.begun, t.at, t.problem = true, at, err; err == nil {
			t.from = now
		}
		t.counted(activity.Inputs{})
		return make([]units.Energy, 1)
	}
	took := at.Sub(t.at)
	t.at = at
	if took <= 0 {
		return make([]units.Energy, 1)
	}
	var in activity.Inputs
	switch {
	case err == nil && t.from.At == 0: // the reading at the begin failed
		t.from, err = now, errNoBegin
	case err == nil:
		in, err = activity.Between(&t.from, &now)
	}
	t.windows++
	m := t.model
	if in == nil {
		in = activity.Inputs{}
	}
	if t.counted(in) && err == nil {
		m = t.rich
		t.richWindows++
	}
	if err == nil && t.plain != nil && !complete(m, in) {
		m = t.plain
		t.plainWindows++
	}
	p := powermodel.Prediction{Power: float64(t.power), Low: 0, High: math.NaN(), Outside: true}
	if err == nil {
		p, t.from = t.predict(m, in), now
		p.Outside = p.Outside || now.Stat.CPUs != len(t.cpus)
		if p.Outside && t.guest == nil {
			t.note(m.Beyond(t.values))
		}
	} else {
		t.problem = err
	}
	return []units.Energy{t.add(p, took)}
}

// add books a window's prediction.
func (t *trained) add(p powermodel.Prediction, took time.Duration) units.Energy {
	if p.Outside {
		t.outside++
	}
	if math.IsNaN(p.Low) || math.IsNaN(p.High) {
		t.unknown = true
	} else {
		t.low = t.low.Plus(units.Power(p.Low).For(took))
		t.high = t.high.Plus(units.Power(p.High).For(took))
	}
	t.power = units.Power(max(p.Power, 0))
	e := t.power.For(took)
	t.used = t.used.Plus(e)
	return e
}

// errNoBegin: a window's begin was not read.
var errNoBegin = errors.New("no reading when the window began")

// counted puts the events of JVMs into a window's inputs, where a model wants them and some were
// counted.
func (t *trained) counted(in activity.Inputs) bool { return t.events != nil && t.events.window(in) }

// predict returns the power of the machine, or of the guest's part, in a window with these inputs.
func (t *trained) predict(m *powermodel.Model, in activity.Inputs) powermodel.Prediction {
	if t.guest != nil {
		return t.guest.predict(m, in)
	}
	t.values = m.Values(in, t.values[:0])
	return m.Predict(t.values)
}

// complete reports whether a window has all inputs of a model except events of JVMs.
func complete(m *powermodel.Model, in activity.Inputs) bool {
	for _, i := range m.Inputs {
		if _, ok := in[i.Name]; !ok && jvm.EventOf(i.Name) == "" {
			return false
		}
	}
	return true
}

func (t *trained) Close() error {
	if t.events == nil {
		return t.source.Close()
	}
	return errors.Join(t.events.close(), t.source.Close())
}
