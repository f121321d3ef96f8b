package campaign

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// Broken is a rule that did not hold.
type Broken struct {
	Rule string // short name of the rule
	At   units.Instant
	What string
}

func (b Broken) String() string {
	return fmt.Sprintf("%s: at %v: %s", b.Rule, time.Duration(b.At-simtest.Beginning), b.What)
}

// invariants watches a run from outside and finds what cannot happen. It keeps its own account of
// everything and believes nothing that the computer reports without a second source. Its caller
// shows it every event in order, every request, and at the end the truth.
//
// Its rules are
//
//   - "time": events are in order, and no event after a tick belongs before it;
//   - "state": threads and cores are in one place, and in one state;
//   - "slices": a thread's slices leave no gap;
//   - "clock": the clock is a state of the machine and respects caps;
//   - "energy": zones add up, never fall, and stay within what the parts can draw;
//   - "residence" and "wall": times add up;
//   - "work": instructions add up.
type invariants struct {
	profile hardware.Profile
	options simtest.Options
	broken  []Broken

	began, ended bool
	start        units.Instant // start of the program
	now          units.Instant // time of the latest event
	promised     units.Instant // time of the latest tick: no record before it may follow

	clock     units.Frequency // clock by the latest Clock event
	since     units.Instant   // start of clock
	residence map[units.Frequency]time.Duration
	changes   int // number of changes of the clock

	// The places of threads, as far as records show. on and where are each other's inverse.
	on    map[int16]epochs.TID
	where map[epochs.TID]int16
	next  map[epochs.TID]units.Instant // start of the running thread's next slice
	lost  int                          // records, by the Lost events
	blind bool                         // records are missing, so a thread may run unseen

	energy hardware.Energy // latest reading
}

// newInvariants watches a run with profile p and options o.
func newInvariants(p hardware.Profile, o simtest.Options) *invariants {
	v := &invariants{profile: p, options: o, residence: make(map[units.Frequency]time.Duration)}
	v.forget()
	v.blind = o.HoldOff > 1
	return v
}

// Broken returns the violations, in order of time; at most maxBroken.
func (i *invariants) Broken() []Broken { return i.broken }

// maxInvariants bounds the list: one violation leads to others.
const maxInvariants = 20

func (i *invariants) fail(rule string, at units.Instant, format string, args ...any) {
	if len(i.broken) < maxInvariants {
		i.broken = append(i.broken, Broken{rule, at, fmt.Sprintf(format, args...)})
	}
}

// event sees one event of the machine.
func (i *invariants) event(ev *simtest.Event) {
	at := ev.At
	if ev.Kind == simtest.Sched {
		at = ev.Sched.At
	}
	switch {
	case i.ended:
		i.fail("time", at, "an event after the end: %+v", *ev)
	case i.began == (ev.Kind == simtest.Begin):
		i.fail("time", at, "not one beginning, and first: %+v", *ev)
	case at < i.now:
		i.fail("time", at, "an event %v before the one before: %+v", i.now.Sub(at), *ev)
	}
	i.now = max(i.now, at)
	switch ev.Kind {
	case simtest.Begin:
		i.began, i.start, i.since, i.clock = true, at, at, ev.Frequency
		i.legal(at, ev.Frequency)
	case simtest.Clock:
		i.setClock(at, ev)
	case simtest.Sched:
		i.sched(&ev.Sched)
	case simtest.End:
		i.ended = true
		i.residence[i.clock] += at.Sub(i.since)
	}
}

// request sees a request made now.
func (i *invariants) request(at units.Instant, f units.Frequency) {
	if at < i.now {
		i.fail("time", at, "a request %v before the latest event", i.now.Sub(at))
	}
	if !i.profile.Offers(f) {
		i.fail("clock", at, "a request for %v, which is no state", f)
	}
}

func (i *invariants) setClock(at units.Instant, ev *simtest.Event) {
	i.legal(at, ev.Frequency)
	if ev.Refusal != "" && ev.Frequency != i.clock {
		i.fail("clock", at, "refused, and yet from %v to %v", i.clock, ev.Frequency)
	}
	i.residence[i.clock] += at.Sub(i.since)
	if ev.Frequency != i.clock {
		i.changes++
	}
	i.clock, i.since = ev.Frequency, at
}

// legal checks that the machine can run at f now.
func (i *invariants) legal(at units.Instant, f units.Frequency) {
	if !i.profile.Offers(f) {
		i.fail("clock", at, "runs at %v, which is no state", f)
	}
	// A ramp takes its time to come down, so a cap binds once it has lasted that long.
	limit := i.options.Faults.Limit(at.Sub(simtest.Beginning))
	before := i.options.Faults.Limit(at.Sub(simtest.Beginning) - i.profile.Transition.Longest())
	if !i.options.Faults.Unreported && limit > 0 && before > 0 &&
		f > max(limit, i.profile.Lowest()) && f > i.clock {
		i.fail("clock", at, "climbs to %v under a cap of %v", f, limit)
	}
}

// Energy sees the energy that the computer has spent so far.
func (i *invariants) Energy(at units.Instant, e hardware.Energy) {
	d := e.Minus(i.energy)
	if d.Falls() {
		i.fail("energy", at, "it fell from %+v to %+v", i.energy, e)
	}
	if sum := e.CoreDynamic + e.CoreStatic + e.UncoreDynamic + e.UncoreStatic + e.DRAMAccess +
		e.DRAMBackground; e.Total() != sum || e.Package()+e.DRAM() != sum {
		i.fail("energy", at, "zones of %+v do not add up to %d nJ", e, sum)
	}
	i.energy = e
}
