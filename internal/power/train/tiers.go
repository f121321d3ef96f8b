package train

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/ebb-energy/ebb/internal/power/activity"
	"github.com/ebb-energy/ebb/internal/power/activity/jvm"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// mostWorse is the most by which a richer model may miss programs that were left out more than a
// simpler one, in parts of their energy: a difference that chance makes.
const mostWorse = 0.005

// tiers lists the kinds of inputs that get a model, the simplest first, each with the kinds that it
// replaces where its inputs exist.
var tiers = []struct {
	tier     powermodel.Tier
	replaces []powermodel.Tier
	what     string // inputs that it adds, for a sentence
}{
	{tier: powermodel.Kernel},
	{powermodel.Clocked, []powermodel.Tier{powermodel.Kernel}, "the delivered clock"},
	{powermodel.Runtime, []powermodel.Tier{powermodel.Kernel}, "the events of Java machines"},
	{powermodel.Counters, []powermodel.Tier{powermodel.Kernel, powermodel.Clocked},
		"hardware counters"},
	{powermodel.All, []powermodel.Tier{powermodel.Kernel, powermodel.Clocked,
		powermodel.Runtime, powermodel.Counters},
		"hardware counters and the events of Java machines"},
}

// model makes a power model of the intervals that have a power: one for each kind of inputs that
// the data have, the richest first. A richer one is left out if it misses programs that it has not
// seen by more than one that it would replace.
func (d *Data) model(l powermodel.Learner) (*powermodel.Model, error) {
	var rich *powermodel.Model
	errs := map[powermodel.Tier]float64{}
	tried := map[string]bool{} // by their inputs
	for _, t := range tiers {
		if !d.has(t.tier) {
			continue
		}
		m, err := d.tier(l, t.tier)
		if err != nil {
			return nil, err
		}
		if key := fmt.Sprint(m.Inputs); tried[key] {
			continue // the columns that it adds never change
		} else {
			tried[key] = true
		}
		least := math.Inf(1)
		for _, other := range t.replaces {
			if e, ok := errs[other]; ok {
				least = min(least, e)
			}
		}
		with := missed(m)
		if with > least+mostWorse {
			d.doubts = append(d.doubts, fmt.Sprintf("the model with %s is left out: with them it "+
				"misses programs that it has not seen by %.1f %%, without by %.1f %%", t.what,
				100*with, 100*least))
			continue
		}
		errs[t.tier] = with
		m.Simpler, rich = rich, m
	}
	return rich, nil
}

// has reports whether the data have the inputs that a kind adds.
func (d *Data) has(t powermodel.Tier) bool {
	switch t {
	case powermodel.Clocked:
		return slices.Contains(d.Inputs, activity.Clock)
	case powermodel.Counters:
		return d.counted() > 0
	case powermodel.Runtime:
		return d.hadEvents()
	case powermodel.All:
		return d.counted() > 0 && d.hadEvents()
	}
	return true
}

// counted returns the number of inputs by hardware counters.
func (d *Data) counted() int {
	others := append(activity.Names(max(d.Origin.CPUs, 1)), activity.Clock)
	n := 0
	for _, name := range d.Inputs {
		if jvm.EventOf(name) == "" && !slices.Contains(others, name) {
			n++
		}
	}
	return n
}

// Table returns the intervals that have a power, with a model's inputs.
func (d *Data) Table(m *powermodel.Model) (*powermodel.Table, error) {
	text, err := d.metered()
	if err != nil {
		return nil, err
	}
	return m.ReadFor(text, columnPower, columnProgram)
}

// metered returns the text of the intervals that have a power.
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

// missed returns the mean absolute error of the energy of programs that were left out; 0 where it
// is unknown.
func missed(m *powermodel.Model) (sum float64) {
	for _, p := range m.Programs {
		sum += math.Abs(p.Total) / float64(len(m.Programs))
	}
	return sum
}
