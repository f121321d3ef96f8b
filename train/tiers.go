package train

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/ebb-energy/ebb/activity/jvm"
	"github.com/ebb-energy/ebb/powermodel"
)

// mostWorse is the most by which a richer model may miss programs that were left out more than a
// simpler one, in parts of their energy: a difference that chance makes.
const mostWorse = 0.005

// Model makes a power model of the intervals that have a power. Where Java machines reported
// events there are two: with these inputs, and a simpler one without, for where there are none. The
// richer one is left out if it misses programs that it has not seen by more.
func (d *Data) Model(l powermodel.Learner) (*powermodel.Model, error) {
	simple, err := d.tier(l, powermodel.Kernel)
	if err != nil || !d.hadEvents() {
		return simple, err
	}
	rich, err := d.tier(l, powermodel.Runtime)
	if err != nil {
		return nil, err
	}
	if with, without := missed(rich), missed(simple); with > without+mostWorse {
		d.doubts = append(d.doubts, fmt.Sprintf("the model with the events of Java machines is "+
			"left out: with them it misses programs that it has not seen by %.1f %%, without by "+
			"%.1f %%", 100*with, 100*without))
		return simple, nil
	}
	rich.Simpler = simple
	return rich, nil
}

// Table is the intervals that have a power, with a model's inputs.
func (d *Data) Table(m *powermodel.Model) (*powermodel.Table, error) {
	text, err := d.metered()
	if err != nil {
		return nil, err
	}
	return m.ReadFor(text, columnPower, columnProgram)
}

// metered is the text of the intervals that have a power.
func (d *Data) metered() (*bytes.Buffer, error) {
	metered := Data{Origin: d.Origin, Inputs: d.Inputs}
	for _, v := range d.Intervals {
		if !math.IsNaN(v.Power) {
			metered.Intervals = append(metered.Intervals, v)
		}
	}
	text := &bytes.Buffer{}
	return text, metered.Write(text)
}

// tier makes the model of one tier.
func (d *Data) tier(l powermodel.Learner, t powermodel.Tier) (*powermodel.Model, error) {
	text, err := d.metered()
	if err != nil {
		return nil, err
	}
	table, err := powermodel.ReadCSV(text, columnPower, columnProgram, t)
	if err != nil {
		return nil, err
	}
	m, err := powermodel.Train(table, l, d.Origin.Provenance)
	if err != nil {
		return nil, err
	}
	m.Tier = string(t)
	return m, nil
}

// hadEvents reports whether a Java machine reported an event.
func (d *Data) hadEvents() bool {
	return slices.ContainsFunc(d.Intervals, func(v Interval) bool {
		for i, name := range d.Inputs {
			if jvm.EventOf(name) != "" && v.Inputs[i] != 0 && !math.IsNaN(v.Power) {
				return true
			}
		}
		return false
	})
}

// missed is the mean absolute error of the energy of programs that were left out; 0 where it is
// unknown.
func missed(m *powermodel.Model) (sum float64) {
	for _, p := range m.Programs {
		sum += math.Abs(p.Total) / float64(len(m.Programs))
	}
	return sum
}
