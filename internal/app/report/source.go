package report

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// Power names the sources of a run's figures of the machine's power.
type Power struct {
	Taken  string           `json:"taken"` // name of a rung, or "none"
	Ladder []wattmeter.Rung `json:"ladder"`
	// Doubt says why the meter is not believed; "" where it is.
	Doubt string `json:"doubt,omitempty"`
	// LowNJ and HighNJ are the ends of the machine's energy over the run where the rung taken has
	// no point value; otherwise absent.
	LowNJ   *int64        `json:"low_nj,omitempty"`
	HighNJ  *int64        `json:"high_nj,omitempty"`
	Trained *TrainedPower `json:"trained,omitempty"`
}

// TrainedPower is the prediction of a trained power model for the whole machine.
type TrainedPower struct {
	Learner    string                `json:"learner"`
	Provenance powermodel.Provenance `json:"provenance"`
	EnergyNJ   int64                 `json:"energy_nj"`
	// LowNJ and HighNJ are the sums of the ends of the windows' 90 % intervals; absent where these
	// are unknown.
	LowNJ  *int64 `json:"low_nj,omitempty"`
	HighNJ *int64 `json:"high_nj,omitempty"`
	// Windows is the number of predictions. OutsideWindows counts those with an input outside the
	// trained range: it was clipped to the range, and the interval is wider.
	Windows        int `json:"windows"`
	OutsideWindows int `json:"outside_windows"`
	// MostOutside is the input that was outside in the most windows.
	MostOutside string `json:"most_outside,omitempty"`
	// JVMWindows is the number of windows that the richer model predicted, which also needs the
	// events of JVMs.
	JVMWindows int `json:"jvm_windows,omitempty"`
	// GuestOf is the number of CPUs of the model's machine, where this guest is taken for a part of
	// that machine; otherwise 0. The energy is then that of the part.
	GuestOf int `json:"guest_of_cpus,omitempty"`
	// SawProgram says that a program of the command's name was among those trained on.
	SawProgram bool `json:"program_trained_on"`
}

// outsideShare is the share of windows outside the trained range beyond which a model is not
// believed.
const outsideShare = 0.5

// TrainedPower adds the prediction of a trained model. A model that was mostly outside its trained
// range gives way to the next rung, and its joules are not divided. Call it after the attribution.
func (r *Report) TrainedPower(p *TrainedPower) {
	if r.Power == nil {
		return
	}
	r.Power.Trained = p
	if share(int64(p.OutsideWindows), int64(p.Windows)) <= outsideShare {
		return
	}
	r.Power.Taken = wattmeter.Taken(r.Power.Ladder, wattmeter.Trained)
	if r.Attribution != nil {
		r.Attribution.ByTime()
	}
	r.Warnings = append(r.Warnings, fmt.Sprintf(
		"%d of %d windows were outside the range that the power model was trained on%s, so it is "+
			"not believed: the power is by %s, and what is attributed is CPU time",
		p.OutsideWindows, p.Windows, p.most(), r.Power.Taken))
}

// Unread takes the next rung where the machine's meter was taken and no reading of it covers the
// run. An attribution by that meter becomes one of CPU time. Call it after the attribution.
func (r *Report) Unread() {
	if r.Power == nil || r.Power.Taken != wattmeter.Machine || len(r.MachineMeters) == 0 ||
		r.MachineMeters[0].CoveredNS > 0 {
		return
	}
	// A trained model predicts only where it was taken from the start.
	r.Power.Taken = wattmeter.Taken(r.Power.Ladder, wattmeter.Machine, wattmeter.Trained)
	said := fmt.Sprintf("no reading of %s covers the run: the power is by %s",
		r.MachineMeters[0].Name, r.Power.Taken)
	a := r.Attribution
	if a != nil && len(a.Zones) == 1 && a.Zones[0].Name == profile.TrainedZone &&
		a.Zones[0].Source == Measured {
		a.ByTime()
		said += ", and what is attributed is CPU time"
	}
	r.Warnings = append(r.Warnings, said)
}

// most names the input that was outside most often, as the end of a sentence.
func (t *TrainedPower) most() string {
	if t.MostOutside == "" {
		return ""
	}
	return fmt.Sprintf(" (most often %q)", t.MostOutside)
}

// Bound sets the ends of the run's energy where the rung taken has no point.
func (p *Power) Bound(wall time.Duration) {
	at := wattmeter.Find(p.Ladder, p.Taken)
	if at.HighW <= 0 {
		return
	}
	low, high := int64(units.Power(at.LowW).For(wall)), int64(units.Power(at.HighW).For(wall))
	p.LowNJ, p.HighNJ = &low, &high
}

// brief returns the same in few words; "" where a meter of the processors shows it, or nothing
// does.
func (p *Power) brief(wall time.Duration) string {
	at := wattmeter.Find(p.Ladder, p.Taken)
	switch {
	case p.Trained != nil && p.Taken == wattmeter.Trained:
		return p.Trained.line()
	case p.LowNJ != nil && p.HighNJ != nil && wall > 0:
		return fmt.Sprintf("%v to %v, between idle and full load, by the %s; %v to %v over the run",
			units.Power(at.LowW), units.Power(at.HighW), p.Taken, units.Energy(*p.LowNJ),
			units.Energy(*p.HighNJ))
	}
	return ""
}

// sourceLine says where the power comes from.
func (r *Report) sourceLine(p func(string, string, ...any)) {
	name := "power"
	for _, line := range r.Power.Lines() {
		p(name, "%s", line)
		name = ""
	}
}

// Lines returns sentences on the rung of the power and on its meaning for the run.
func (p *Power) Lines() (lines []string) {
	if p == nil {
		return nil
	}
	lines = append(lines, wattmeter.Sentence(p.Ladder, p.Taken))
	if p.LowNJ != nil && p.HighNJ != nil {
		lines = append(lines, fmt.Sprintf("the machine used %v to %v, if the load was anything "+
			"from idle to full", units.Energy(*p.LowNJ), units.Energy(*p.HighNJ)))
	}
	if p.Trained != nil && p.Taken == wattmeter.Trained {
		lines = append(lines, p.Trained.line())
	}
	if p.Doubt != "" {
		lines = append(lines, p.Doubt)
	}
	return lines
}

// line returns a sentence on the model's prediction and its quality.
func (t *TrainedPower) line() string {
	between := "its error for a program that it has not seen is unknown"
	if t.LowNJ != nil && t.HighNJ != nil {
		between = fmt.Sprintf("90 %% interval %v to %v", units.Energy(*t.LowNJ),
			units.Energy(*t.HighNJ))
	}
	saw := "no program of this name was trained on"
	if t.SawProgram {
		saw = "a program of this name was trained on"
	}
	events := ""
	if t.JVMWindows > 0 {
		events = fmt.Sprintf("; in %d of them with the events of JVMs", t.JVMWindows)
	}
	of := "the whole machine"
	if t.GuestOf > 0 {
		of = fmt.Sprintf("this guest's part of a machine with %s",
			printable.Count(t.GuestOf, "CPU"))
	}
	inside := 1 - share(int64(t.OutsideWindows), int64(t.Windows))
	return fmt.Sprintf("%v of %s, %s; %s of %d windows inside the trained "+
		"range%s; %s", units.Energy(t.EnergyNJ), of, between, printable.Percent(inside),
		t.Windows, events,
		saw)
}
