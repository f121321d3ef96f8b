package energy

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Names of e-Surgeon's rules: equation 7 with the excess cut, and equations 7 to 9 as printed.
const (
	Jalen     = "jalen"
	Jalen2012 = "jalen2012"
)

// jalen gives a thread its CPU time over the window's length, times the energy (e-Surgeon, equation
// 7).
type jalen struct{}

func (jalen) Name() string { return Jalen }

func (jalen) Overcounts() bool { return false }

func (jalen) split(z *Zone, used units.Energy, w *Window, d *division) {
	left := used
	for i := range w.Runs {
		r := &w.Runs[i]
		if !z.has(r.CPU) || w.Dur() <= 0 {
			continue
		}
		e := units.Energy(float64(used) * (float64(r.Time()) / float64(w.Dur())))
		e = min(e, left)
		d.give(r.Thread, e)
		left -= e
	}
}

// jalen2012 is e-Surgeon as printed. The process's energy is its part by CPU time, the rest is
// other programs'. A window is the paper's cycle. Ledger.PerMethod has the methods.
type jalen2012 struct{}

func (jalen2012) Name() string { return Jalen2012 }

// Overcounts returns true: two threads that run at once get more than the process used, and each of
// a thread's methods gets the thread's energy.
func (jalen2012) Overcounts() bool { return true }

func (jalen2012) split(z *Zone, used units.Energy, w *Window, d *division) {
	own, others := busyOn(z, w)
	if own+others <= 0 {
		d.idle = used
		return
	}
	process := units.Energy(float64(used) * (float64(own) / float64(own+others)))
	process = min(process, used)
	d.others = used - process
	for i := range w.Runs {
		if r := &w.Runs[i]; z.has(r.CPU) {
			d.give(r.Thread, threadEnergy(min(r.Time(), w.Dur()), process, w.Dur()))
		}
	}
}

// threadEnergy returns a thread's energy of a cycle (equation 7).
func threadEnergy(cpu time.Duration, process units.Energy, cycle time.Duration) units.Energy {
	if cycle <= 0 {
		return 0
	}
	return units.Energy(math.Round(float64(cpu) * float64(process) / float64(cycle)))
}

// methodTime returns a method's part of its thread's CPU time (equation 8). all is the sum of the
// thread's methods' durations.
func methodTime(duration, cpu, all time.Duration) float64 {
	if all <= 0 {
		return 0
	}
	return float64(duration) * float64(cpu) / float64(all)
}

// methodEnergy returns a method's part of its thread's energy (equation 9). As printed it divides
// by the method's duration, which equation 8 multiplied by. So each method of a thread gets the
// same, however long it ran: the thread's energy, times its CPU time over the sum of the durations.
func methodEnergy(time float64, thread units.Energy, duration time.Duration) units.Energy {
	if duration <= 0 {
		return 0
	}
	return units.Energy(math.Round(time * float64(thread) / float64(duration)))
}
