package live

import (
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/units"
)

// Computer is what all targets on this machine share: the tracer, the clocks and the meters. Its
// methods belong to the goroutine that calls Next, except Wake.
type Computer struct {
	tracer   *bpf.Tracer
	actuator cpufreq.Actuator
	base     units.Frequency // what the machine runs at when the first target starts
	sched    []epochs.Event
	pending  []governor.Event // to be handed out before the next reading
	// time of the last check for changes of the frequency by others
	checked units.Instant
	ticked  units.Instant                            // the last tick, or Begin
	own     func() (displaced, traced time.Duration) // nil where that is not measured
	// nil where there is none
	meter func(units.Instant) (pkg, cores, dram units.Energy, ok bool)
}

// Meter has the machine's energy meters read at each tick: the energy that all packages, their
// cores (0 where they have no meter) and all memory have used so far, and whether that is known. It
// is called with the tick's time, which names the reading: every other user of that tick's reading
// gets the same. Call it before Next.
func (c *Computer) Meter(read func(at units.Instant) (pkg, cores, dram units.Energy, ok bool)) {
	c.meter = read
}

// Overhead has what ebb itself has cost its targets so far read at each tick: how long it held up
// their threads, and how long it traced within their time. Call it before Next.
func (c *Computer) Overhead(read func() (displaced, traced time.Duration)) { c.own = read }

// Base is the frequency that the first target is taken to have started at.
func (c *Computer) Base() units.Frequency { return c.base }

// Wake has Next return with what there is, a tick at least. It may be called from any goroutine.
func (c *Computer) Wake() { c.tracer.Wake() }

// OwnID returns the id that a thread has in ebb's own PID namespace, as bpf.Tracer does.
func (c *Computer) OwnID(id epochs.TID) int { return c.tracer.OwnID(id) }

// FirstID is the reverse of OwnID.
func (c *Computer) FirstID(own int) epochs.TID { return c.tracer.FirstID(own) }

// Threads are the totals of every thread that a target had.
func (c *Computer) Threads() ([]bpf.Thread, error) { return c.tracer.Threads() }

// Stays are the same, separately for each of a thread's stays in a target's cgroup.
func (c *Computer) Stays() ([]bpf.Thread, error) { return c.tracer.Stays() }

// outcomes hands out what is pending.
func (c *Computer) outcomes(buf []governor.Event) int {
	n := copy(buf, c.pending)
	c.pending = append(c.pending[:0], c.pending[n:]...)
	return n
}

// metered emits the meters' readings at a tick.
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
