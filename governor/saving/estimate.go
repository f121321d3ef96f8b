package saving

import (
	"math"

	"github.com/ebb-energy/ebb/predictor/power"
)

// Estimate is the energy that a run without ebb, always at the highest frequency, would have used,
// as a multiple of what this one used.
type Estimate struct {
	Ratio  float64 // 1.05: 5 % more
	Lo, Hi float64 // its interval of 90 %
	// Used and Highest are both energies by the model alone, nJ.
	Used, Highest float64
	Metered       bool // what was used is the meter's
	Pairs         int  // probes that were compared
	// Own is the share of the energy that ebb itself used where it held up the program.
	Own float64
	// Longer is the energy, nJ, that the parts without a clock of their own used because the run
	// took longer; by the model.
	Longer float64
}

const (
	// z90 is half the width of an interval of 90 %, in standard deviations.
	z90 = 1.645
	// leastDeviation is that of any saving: meters, and the program's own variation.
	leastDeviation = 0.004
	// warmth is the share by which a saving exceeds what short probes show: the die would be
	// warmer if it always ran at the highest frequency, and leak more. Leakage is a tenth to a
	// third of the power and grows e-fold in some 40 K; 20 K and more lie between no and full
	// load. warmthDeviation is its standard deviation.
	warmth, warmthDeviation = 0.10, 0.055
	// timeShare is the part of the energy that goes with time: an error of the predicted time is
	// one of the energy by that much. Instructions cost the same however long they take.
	timeShare = 0.3
)

// Estimate concludes, by the model as it is in the end.
func (b *Book) Estimate(fit *power.Fit) Estimate {
	e := Estimate{Used: fit.Energy(&b.used), Highest: fit.Energy(&b.highest), Ratio: 1, Lo: 1,
		Hi: 1, Metered: b.metered}
	later := b.used.Minus(&b.highest)
	e.Longer = fit.Constant(&later)
	seen := b.pairs.observations(fit)
	e.Pairs = len(seen)
	line := correct(seen)
	var used, highest, modelled float64
	var place [terms]float64
	var apart power.Features
	for i := range b.low.all {
		s := &b.low.all[i]
		saved, miss, ok := s.saved(fit)
		if !ok {
			continue
		}
		z := [terms]float64{1, saved, miss}
		at := s.energy() * math.Exp(saved+line.at(z))
		used, highest = used+s.energy(), highest+at
		for j := range z {
			place[j] += at * z[j]
		}
		d := s.highest.Minus(&s.used)
		apart.Add(&d)
		modelled += fit.Energy(&s.used)
	}
	all := b.top + used + b.own
	if !(all > 0) {
		return e
	}
	e.Own = b.own / all
	if !(used > 0 && highest > 0) { // always at the highest frequency: all but ebb's own stays
		e.Ratio = 1 - e.Own
		e.Lo, e.Hi = e.Ratio-z90*leastDeviation, e.Ratio+z90*leastDeviation
		return e
	}
	for j := range place {
		place[j] /= highest
	}
	saving, deviation := math.Log(highest/used), b.deviation(place, &line)
	if e.Pairs == 0 {
		deviation = math.Hypot(deviation, fit.Deviation(&apart)/modelled)
	} else {
		deviation = math.Hypot(deviation, warmthDeviation*saving)
		saving *= 1 + warmth
	}
	at := func(s float64) float64 { return (b.top + used*math.Exp(s)) / all }
	e.Ratio, e.Lo, e.Hi = at(saving), at(saving-z90*deviation), at(saving+z90*deviation)
	return e
}

// deviation is the standard deviation of the saving at the mean place.
func (b *Book) deviation(place [terms]float64, line *correction) float64 {
	doubt := leastDeviation
	if b.weight > 0 {
		doubt = math.Hypot(doubt, timeShare*b.doubt/b.weight)
	}
	return math.Hypot(doubt, line.deviation(place))
}

// observations are what the pairs show, by the model as it is.
func (p *pairs) observations(fit *power.Fit) (seen []observation) {
	for i := range p.done {
		if o, ok := p.done[i].observe(fit); ok {
			seen = append(seen, o)
		}
	}
	return seen
}
