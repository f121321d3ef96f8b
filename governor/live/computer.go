package live

import (
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/units"
)

// Computer holds what all targets on this machine share: the tracer, the clocks and the meters.
// Only the goroutine that calls Next may call its methods, except Wake.
type Computer struct {
	tracer   *bpf.Tracer
	actuator cpufreq.Actuator
	base     units.Frequency // clock of the machine when the first target starts
	sched    []epochs.Event
	pending  []governor.Event // events to return before the next reading
	// checked is the time of the last check for clocks that others changed
	checked units.Instant
	ticked  units.Instant                            // time of the last tick, or of Begin
	own     func() (displaced, traced time.Duration) // nil: ebb's own cost is not measured
	// meter reads the energy meters; nil without one
	meter func(units.Instant) (pkg, cores, dram units.Energy, ok bool)
}

// Meter has read called at each tick. Read returns the energy that all packages, their cores (0
// where they have no meter) and all memory have used so far, and whether that is known. It is
// called with the tick's time, which identifies the reading: all users of that tick's reading get
// the same. Call Meter before Next.
func (c *Computer) Meter(read func(at units.Instant) (pkg, cores, dram units.Energy, ok bool)) {
	c.meter = read
}

// Overhead has read called at each tick. Read returns what ebb itself has cost its targets so far:
// how long it held up their threads, and how long it traced within their time. Call Overhead before
// Next.
func (c *Computer) Overhead(read func() (displaced, traced time.Duration)) { c.own = read }

// Base returns the frequency at which the first target is taken to have started.
func (c *Computer) Base() units.Frequency { return c.base }

// Wake makes Next return with what there is, at least a tick. Any goroutine may call it.
func (c *Computer) Wake() { c.tracer.Wake() }

// OwnID returns the id that a thread has in ebb's own PID namespace, as bpf.Tracer does.
func (c *Computer) OwnID(id epochs.TID) int { return c.tracer.OwnID(id) }

// FirstID is the inverse of OwnID.
func (c *Computer) FirstID(own int) epochs.TID { return c.tracer.FirstID(own) }

// Threads returns the totals of every thread that a target had.
func (c *Computer) Threads() ([]bpf.Thread, error) { return c.tracer.Threads() }

// Stays returns the same totals, separately for each of a thread's stays in a target's cgroup.
func (c *Computer) Stays() ([]bpf.Thread, error) { return c.tracer.Stays() }

// outcomes moves pending events into buf, and returns how many.
func (c *Computer) outcomes(buf []governor.Event) int {
	n := copy(buf, c.pending)
	c.pending = append(c.pending[:0], c.pending[n:]...)
	return n
}

// metered puts the meters' readings at a tick into buf, and returns the number of events.
func (c *Computer) metered(buf []governor.Event, tick units.Instant) int {
	if c.meter == nil {
		return 0
	}
	pkg, cores, dram, ok := c.meter(tick)
	if !ok {
		return 0
	}
	buf[0] = governor.Event{Kind: governor.Metered, At: tick, Package: pkg, Cores: cores,
		DRAM: dram}
	return 1
}
