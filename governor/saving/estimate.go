package saving

import (
	"math"

	"github.com/ebb-energy/ebb/predictor/power"
)

// Estimate is the energy that a run without ebb, always at the highest frequency, would have used,
// as a multiple of what this one used.
type Estimate struct {
	Ratio  float64 // 1.05: 5 % more
	Lo, Hi float64 // interval of 90 % of Ratio
	// Used and Highest are both energies by the model alone, nJ.
	Used, Highest float64
	Metered       bool // a meter measured the energy used
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
	// leastDeviation is the least standard deviation of any saving, due to meters and the program's
	// own variation.
	leastDeviation = 0.004
	// warmth is the share by which a die that was always at the highest frequency would use more
	// than short probes show, for each share by which its power would be higher: it would be
	// warmer, and leak more. Leakage is a tenth to a third of the power and grows e-fold in some
	// 40 K; 20 K and more lie between no and full load. warmthDeviation is its standard deviation.
	warmth, warmthDeviation = 0.09, 0.045
	// leastRatio bounds the interval's lower end, since energies are above zero.
	leastRatio = 0.1
	// ownDeviation is the standard deviation of the energy of ebb's own work, as a share: by some
	// 25 % one kind of work draws another power than the next.
	ownDeviation = 0.15
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
	var apart, worked power.Features // worked: at the highest frequency, below it as it was done
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
		worked.Add(&s.highest)
		modelled += fit.Energy(&s.used)
	}
	all := b.top + used + b.own
	if !(all > 0) {
		return e
	}
	e.Own = b.own / all
	top, doubt := b.top, leastDeviation*b.top
	if used > 0 && highest > 0 {
		for j := range place {
			place[j] /= highest
		}
		late, doubtful := b.pairs.late(b.doubted())
		share := fit.Lasting(&worked) / fit.Energy(&worked)
		saving := math.Log(highest/used) + share*late
		deviation := math.Hypot(line.deviation(place), math.Hypot(leastDeviation, share*doubtful))
		if e.Pairs == 0 {
			deviation = math.Hypot(deviation, fit.Deviation(&apart)/modelled)
		}
		below := used * math.Exp(saving)
		top, doubt = top+below, below*deviation
		if e.Pairs > 0 {
			hotter := b.hotter(all, top)
			top *= 1 + warmth*hotter
			doubt = math.Hypot(doubt, top*warmthDeviation*hotter)
		}
	}
	doubt = z90 * math.Hypot(doubt, top/all*ownDeviation*b.own)
	least := min(leastRatio*all, top)
	e.Ratio, e.Lo, e.Hi = top/all, max(top-doubt, least)/all, (top+doubt)/all
	return e
}

// doubted returns the mean doubt about the times predicted for the highest frequency, as a share.
func (b *Book) doubted() float64 {
	if !(b.weight > 0) {
		return 0
	}
	return b.doubt / b.weight
}

// hotter returns the share by which the power is higher where a run that used so much would have
// used top.
func (b *Book) hotter(used, top float64) float64 {
	is, was := used/b.used.Time(), top/b.highest.Time()
	if !(is > 0 && is < was) {
		return 0
	}
	return 1 - is/was
}

// observations returns what the pairs show, by the model as it is.
func (p *pairs) observations(fit *power.Fit) (seen []observation) {
	for i := range p.done {
		if o, ok := p.done[i].observe(fit); ok {
			seen = append(seen, o)
		}
	}
	return seen
}
