package energy

import (
	"slices"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Own notes how long threads of ebb's own ran in a window, as a part of the other programs' time.
// It goes to the CPUs by the time that others had there. The kernel's account of the others counts
// in ticks, while ebb's own time is exact. Where the account has less, the rest goes to all of cpus
// in equal parts. Call Own after the target's own times were taken off Others, and before Beside.
func (w *Window) Own(d time.Duration, cpus []CPU) {
	if d <= 0 || len(cpus) == 0 {
		return
	}
	var all time.Duration
	for i := range w.Others {
		all += w.Others[i].Time
	}
	if missing := d - all; missing > 0 {
		w.more(missing, cpus)
		all = d
	}
	left := d
	for i := range w.Others {
		o := &w.Others[i]
		o.Own = min(time.Duration(float64(d)*(float64(o.Time)/float64(all))), left)
		left -= o.Own
	}
	for i := range w.Others { // spreads what rounding left over, a few ns
		o := &w.Others[i]
		part := min(left, o.Time-o.Own)
		o.Own += part
		left -= part
	}
}

// more adds time of other programs, the same on each CPU.
func (w *Window) more(d time.Duration, cpus []CPU) {
	for i, c := range cpus {
		part := d / time.Duration(len(cpus)-i)
		d -= part
		at := slices.IndexFunc(w.Others, func(o Other) bool { return o.CPU == c })
		if at < 0 {
			w.Others = append(w.Others, Other{CPU: c})
			at = len(w.Others) - 1
		}
		w.Others[at].Time += part
	}
}

// ownPart returns ebb's part of what a rule gives to other programs on a zone's CPUs, by CPU time.
func ownPart(z *Zone, w *Window, others units.Energy) units.Energy {
	var own, all time.Duration
	for i := range w.Others {
		if o := &w.Others[i]; z.has(o.CPU) {
			own += o.Own
			all += o.Time
		}
	}
	if own <= 0 || others <= 0 {
		return 0
	}
	return min(units.Energy(float64(others)*(float64(own)/float64(all))), others)
}
