package check

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/physics"
	"github.com/ebb-energy/ebb/units"
)

// Broken is a rule of the machine that did not hold.
type Broken struct {
	Rule string // its short name
	At   units.Instant
	What string
}

func (b Broken) String() string {
	return fmt.Sprintf("%s: at %v: %s", b.Rule, time.Duration(b.At-simtest.Beginning), b.What)
}

// Invariants watches a run from outside and finds what can not be. It keeps its own account of
// everything and believes nothing that the machine says without a second source. Show it every
// event in order, every request, and at the end the truth.
//
// Its rules are "time" (events come in order; nothing after a tick belongs before it), "state"
// (threads and cores), "slices" (they leave no gap), "clock" (states, caps), "energy" (zones add
// up, never fall, are within what the parts can draw), "residence" and "wall" (times add up),
// "work".
type Invariants struct {
	profile hardware.Profile
	options simtest.Options
	broken  []Broken

	began, ended bool
	now          units.Instant // of the latest event
	promised     units.Instant // of the latest tick
	start        units.Instant

	clock     units.Frequency
	since     units.Instant // of clock
	residence map[units.Frequency]time.Duration
	changes   int

	on    map[int16]epochs.TID // who runs where, as far as records tell
	where map[epochs.TID]int16
	last  map[epochs.TID]units.Instant // where the thread's next slice has to begin
	lost  int                          // records, by the Lost events
	// records were lost, or not made: who runs where is not known
	blind  bool
	energy physics.Energy
}

// NewInvariants watches a machine made with p and o.
func New(p hardware.Profile, o simtest.Options) *Invariants {
	v := &Invariants{profile: p, options: o, residence: make(map[units.Frequency]time.Duration)}
	v.forget()
	v.blind = o.HoldOff > 1
	return v
}

// Broken are the rules that did not hold, in order of time; at most maxBroken.
func (v *Invariants) Broken() []Broken { return v.broken }

// maxBroken bounds what is kept: one thing broken leads to more.
const maxBroken = 20

func (v *Invariants) fail(rule string, at units.Instant, format string, args ...any) {
	if len(v.broken) < maxBroken {
		v.broken = append(v.broken, Broken{rule, at, fmt.Sprintf(format, args...)})
	}
}

// Event sees one event of the machine.
func (v *Invariants) Event(ev *simtest.Event) {
	at := ev.At
	if ev.Kind == simtest.Sched {
		at = ev.Sched.At
	}
	switch {
	case v.ended:
		v.fail("time", at, "an event after the end: %+v", *ev)
	case v.began == (ev.Kind == simtest.Begin):
		v.fail("time", at, "not one beginning, and first: %+v", *ev)
	case at < v.now:
		v.fail("time", at, "an event %v before the one before: %+v", v.now.Sub(at), *ev)
	}
	v.now = max(v.now, at)
	switch ev.Kind {
	case simtest.Begin:
		v.began, v.start, v.since, v.clock = true, at, at, ev.Frequency
		v.legal(at, ev.Frequency)
	case simtest.Clock:
		v.setClock(at, ev)
	case simtest.Sched:
		v.sched(&ev.Sched)
	case simtest.End:
		v.ended = true
		v.residence[v.clock] += at.Sub(v.since)
	}
}

// Request sees a request made now.
func (v *Invariants) Request(at units.Instant, f units.Frequency) {
	if at < v.now {
		v.fail("time", at, "a request %v before the latest event", v.now.Sub(at))
	}
	if !v.profile.Offers(f) {
		v.fail("clock", at, "%v was asked for, which is no state", f)
	}
}

func (v *Invariants) setClock(at units.Instant, ev *simtest.Event) {
	v.legal(at, ev.Frequency)
	if ev.Refusal != "" && ev.Frequency != v.clock {
		v.fail("clock", at, "refused, and yet from %v to %v", v.clock, ev.Frequency)
	}
	v.residence[v.clock] += at.Sub(v.since)
	if ev.Frequency != v.clock {
		v.changes++
	}
	v.clock, v.since = ev.Frequency, at
}

// legal says whether the machine can run at f now.
func (v *Invariants) legal(at units.Instant, f units.Frequency) {
	if !v.profile.Offers(f) {
		v.fail("clock", at, "runs at %v, which is no state", f)
	}
	// A ramp comes down in its time; a cap that began within it is not overrun.
	limit := v.options.Faults.Limit(at.Sub(simtest.Beginning))
	before := v.options.Faults.Limit(at.Sub(simtest.Beginning) - v.profile.Transition.Longest())
	if !v.options.Faults.Untold && limit > 0 && before > 0 && f > max(limit, v.profile.Lowest()) &&
		f > v.clock {
		v.fail("clock", at, "climbs to %v under a cap of %v", f, limit)
	}
}

// Energy sees what the machine has spent so far.
func (v *Invariants) Energy(at units.Instant, e physics.Energy) {
	d := e.Minus(v.energy)
	if min(d.CoreDynamic, d.CoreStatic, d.UncoreDynamic, d.UncoreStatic, d.DRAMAccess,
		d.DRAMBackground) < 0 {
		v.fail("energy", at, "it fell from %+v to %+v", v.energy, e)
	}
	if sum := e.CoreDynamic + e.CoreStatic + e.UncoreDynamic + e.UncoreStatic + e.DRAMAccess +
		e.DRAMBackground; e.Total() != sum || e.Package()+e.DRAM() != sum {
		v.fail("energy", at, "zones of %+v do not add up to %d nJ", e, sum)
	}
	v.energy = e
}
