package energy

import (
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Names of Chappie's rules: Algorithm 1, what Table 2 compares it with, and what the authors'
// published programs compute instead.
const (
	Equal     = "equal"
	Oblivious = "oblivious"
	Artifact  = "chappie-artifact"
)

// active appends the threads that ran on a zone's CPUs at the window's probe, each once. Chappie's
// Algorithm 1 probes once in an epoch, and the other threads get no part of its energy.
func active(z *Zone, w *Window, out []epochs.TID) []epochs.TID {
	seen := map[epochs.TID]bool{}
	for i := range w.Runs {
		if r := &w.Runs[i]; r.Probed && z.has(r.CPU) && !seen[r.Thread] {
			seen[r.Thread] = true
			out = append(out, r.Thread)
		}
	}
	return out
}

// equal gives every thread that ran at the probe the same amount (Chappie, Algorithm 1: E/alpha to
// each of alpha active threads). If none did, all of it is idle.
type equal struct{}

func (equal) Name() string { return Equal }

func (equal) Overcounts() bool { return false }

func (equal) split(z *Zone, used units.Energy, w *Window, d *division) {
	d.alike(used, active(z, w, nil))
}

// alike gives an amount to threads in equal parts. If there are none, it is idle.
func (d *division) alike(amount units.Energy, threads []epochs.TID) {
	for range threads {
		d.weights = append(d.weights, 1)
	}
	var some bool
	if d.parts, some = Divide(amount, d.weights, d.parts); !some {
		d.idle += amount
		return
	}
	for i, t := range threads {
		d.give(t, d.parts[i])
	}
}

// oblivious gives every thread that ran at the probe all of the window's energy, as an instrument
// around a method does that ignores concurrent threads (Chappie, Table 2). The unattributed energy
// is below zero by the energy that was given more than once. It knows the same active threads as
// equal, so that their ratio is nothing but the number of threads that ran at once.
type oblivious struct{}

func (oblivious) Name() string { return Oblivious }

func (oblivious) Overcounts() bool { return true }

func (oblivious) split(z *Zone, used units.Energy, w *Window, d *division) {
	threads := active(z, w, nil)
	for _, t := range threads {
		d.give(t, used)
	}
	if len(threads) == 0 {
		d.idle = used
	}
}

// artifact does what the published programs of Chappie compute (src/python/analysis/attribution):
// activeness times the application's share of the busy time, over the number of threads on the
// socket. Activeness is 1 for every thread of the program. Theirs is less for the profiler's own
// threads, which do not belong to the program here. A thread is on the socket of the CPU where it
// ran last. The rest of the energy is other programs'.
//
// The share is smoothed as theirs is: busy times of windows in which the application did not run
// count for the next share, of ten windows at most. Times are the scheduler's, not jiffies.
type artifact struct{}

// smoothed is the largest number of windows that one application share covers.
const smoothed = 10

// busyTimes has the sums of a zone's last windows in which the application did not run.
type busyTimes struct {
	system  time.Duration
	windows int
}

func (artifact) Name() string { return Artifact }

func (artifact) Overcounts() bool { return false }

func (artifact) split(z *Zone, used units.Energy, w *Window, d *division) {
	last, at := map[epochs.TID]CPU{}, map[epochs.TID]units.Instant{}
	var order []epochs.TID
	for i := range w.Runs {
		r := &w.Runs[i]
		if _, seen := last[r.Thread]; !seen {
			order = append(order, r.Thread)
		}
		if r.Last >= at[r.Thread] {
			last[r.Thread], at[r.Thread] = r.CPU, r.Last
		}
	}
	var on []epochs.TID
	for _, t := range order {
		if z.has(last[t]) {
			on = append(on, t)
		}
	}
	own, others := busyOn(z, w)
	share := d.busy.share(own, own+others)
	switch {
	case len(on) > 0:
		application := min(units.Energy(share*float64(used)), used)
		d.others = used - application
		d.alike(application, on)
	case own+others > 0:
		d.others = used
	default:
		d.idle = used
	}
}

// busyOn returns the time of the target and of other programs on a zone's CPUs.
func busyOn(z *Zone, w *Window) (own, others time.Duration) {
	for i := range w.Runs {
		if r := &w.Runs[i]; z.has(r.CPU) {
			own += r.Time()
		}
	}
	for i := range w.Others {
		if o := &w.Others[i]; z.has(o.CPU) {
			others += o.Time
		}
	}
	return own, others
}

// share returns the application's share of the busy time, smoothed and between 0 and 1.
func (b *busyTimes) share(application, system time.Duration) float64 {
	b.system += system
	b.windows++
	if application <= 0 && b.windows < smoothed {
		return 0
	}
	share := 1.0 // Chappie's value where nothing was busy
	if b.system > 0 {
		share = min(float64(application)/float64(b.system), 1)
	}
	*b = busyTimes{}
	return share
}
