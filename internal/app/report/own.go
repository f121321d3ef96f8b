package report

import (
	"fmt"
	"math"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/energy/verdict"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// addOwn adds ebb's own cost to the program, and warns where it is more than the budget.
//
// ebb's part of the profiled work's time at the highest frequency is its share of the whole run.
// The rest would have been the time without ebb.
func (o *Observer) addOwn() {
	r := o.r
	own := float64(o.own)
	if r.ProfiledNS > 0 && r.WallNS > r.ProfiledNS {
		own *= share(r.ProfiledNS, r.WallNS)
	}
	without := o.slowMax - own
	r.SlowdownOwn = ratio(o.slowMax, without) - 1
	r.SlowdownTotal = ratio(o.slowEff, without) - 1
	if r.Objective != "slowdown" || r.SlowdownOwn <= r.SlowdownBudget || r.WallNS == 0 ||
		r.TooShort() {
		return
	}
	advice := o.cheaper()
	seldom := ""
	if r.Rests > 0 {
		seldom = fmt.Sprintf(" and looked only every %.1f quanta",
			float64(r.RestQuanta)/float64(r.Rests))
	}
	r.Warnings = append(r.Warnings, fmt.Sprintf("ebb itself cost the program %s, more than the "+
		"budget of %s, and so kept the highest frequency%s%s",
		printable.Percent(r.SlowdownOwn),
		printable.Percent(r.SlowdownBudget), seldom, advice))
}

// TooShort reports whether the run is too short to give its time or energy in percent (see
// verdict.Short).
func (r *Report) TooShort() bool { return verdict.Short(time.Duration(r.WallNS)) }

// ownBesideNS returns ebb's own CPU time beside the program: the part in the windows of an
// attribution, whose table has the same; without one, all since the target began.
func (r *Report) ownBesideNS() int64 {
	if a := r.Attribution; a != nil && a.OwnRunNS > 0 {
		return a.OwnRunNS
	}
	return r.OwnCPUNS - r.OwnStartCPUNS
}

// ownTime returns ebb's own CPU time as text: to start, beside the program, and for the rest,
// mostly names. exactly adds the time beside the program to its percentage. A run too short to say
// gets no percentage.
func (r *Report) ownTime(exactly bool) string {
	of := func(ns int64) string { return printable.Duration(time.Duration(ns)) }
	beside := r.ownBesideNS()
	then := printable.Percent(share(beside, r.WallNS)) + " of one CPU"
	switch {
	case r.TooShort():
		then = of(beside)
	case exactly:
		then = fmt.Sprintf("%s (%s)", of(beside), then)
	}
	s := fmt.Sprintf("%s of CPU time to start, then %s", of(r.OwnStartCPUNS), then)
	if late := r.OwnCPUNS - r.OwnStartCPUNS - beside; late >= int64(10*time.Millisecond) {
		s += fmt.Sprintf(", and %s for names and the end", of(late))
	}
	return s
}

// cheaper returns advice on what would cost the program less; "" where nothing is known. Samples
// and calls cost the same whatever part of the quanta is profiled.
func (o *Observer) cheaper() string {
	r := o.r
	if o.Sampled || r.SlowdownBudget <= 0 {
		return ""
	}
	holdOff := math.Ceil(2 * float64(max(r.HoldOff, 1)) * r.SlowdownOwn / r.SlowdownBudget)
	if holdOff > governor.MostQuanta {
		return ""
	}
	return fmt.Sprintf(": --hold-off %.0f would cost less", holdOff)
}
