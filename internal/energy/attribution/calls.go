package attribution

import (
	"context"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// Functions has what is needed to count an instrumented program's calls.
type Functions struct {
	Rings    Rings
	Settings instrumented.Settings
	Counters []string      // the names of Settings.Events
	Length   time.Duration // length of a period
	// Instructions is the place of the threads' own instructions among the counters of their
	// slices; negative where nothing counts them.
	Instructions int
	Period       func(n uint32) // announces the period's number; 0: nothing is profiled
	// FirstID returns the id by which ebb knows a thread, from the id that the program knows: the
	// id in the program's PID namespace, which is taken to be ebb's. It returns 0 where no thread
	// of the target has the id. It is nil where both ids are the same.
	FirstID func(own int) epochs.TID
}

// Rings reads what an instrumented program writes in another process. *sandbox.Host does.
type Rings interface {
	// AskRecords asks for new records, which Reader.Poll then hands to what Record returns.
	AskRecords(at units.Instant)
	LastRecords(ctx context.Context, now func() units.Instant)
	LostRecords() uint64
	// Saw reads the mappings of an image, if they lack one of these addresses.
	Saw(image protocol.Image, pid int, addrs []uint64)
	Calls(ctx context.Context, limit int, take func(*instrumented.Calls)) (
		totals instrumented.Totals, more bool, err error)
	// Instrumented returns the functions that the images' files were compiled to count.
	Instrumented(ctx context.Context, images []protocol.Image, limit int,
		take func(protocol.Frame)) (more bool, err error)
}

// Bounds of what is kept, whatever the program writes.
const (
	maxFunctions = 1 << 14 // functions with records, by image
	maxWaiting   = 1 << 15 // records whose windows are not booked
	maxPriced    = 1 << 15 // records that are not added to their functions: 4 MB
	maxCounts    = 1 << 20 // counts of calls that are read: one for each function and thread
	maxCalled    = 1 << 18 // functions of processes in these counts
)

// The least times between questions for records, and between readings of mappings for them.
const (
	askEvery = 50 * time.Millisecond
	sawEvery = 100 * time.Millisecond
)

// calls joins the records of invocations with the energy of threads. All methods do nothing on nil.
type calls struct {
	of      *Attributor
	cfg     *Functions
	line    *energy.ThreadLine
	clocks  energy.Clocks
	counted []bool // whether each zone counts for an invocation's energy
	waiting []instrumented.Record
	retired map[epochs.TID][]retired // instructions in slices of windows that are not booked yet
	priced  []priced
	known   map[protocol.Address]*energy.Invocations
	fresh   map[protocol.Image][]uint64
	pids    map[protocol.Image]int // process of each image in fresh
	asked   units.Instant
	sawAt   units.Instant
	begun   bool
	records uint64
	unknown uint64 // records without an energy
	surplus uint64 // records for which there was no room
}

func newCalls(of *Attributor) *calls {
	return &calls{
		of: of, cfg: of.cfg.Functions, line: energy.NewThreadLine(),
		known:   map[protocol.Address]*energy.Invocations{},
		retired: map[epochs.TID][]retired{},
		fresh:   map[protocol.Image][]uint64{}, pids: map[protocol.Image]int{},
	}
}

// Record takes a record of an invocation, as Rings hands it over.
func (a *Attributor) Record(r *instrumented.Record) {
	r.PID, r.TID = a.calls.cfg.firstID(r.PID), a.calls.cfg.firstID(r.TID)
	a.calls.record(r)
}

// firstID applies FirstID to an id that the program wrote.
func (f *Functions) firstID(own uint32) uint32 {
	if f.FirstID == nil {
		return own
	}
	return uint32(f.FirstID(int(own)))
}

// clock notes the machine's clock from a time on.
func (c *calls) clock(at units.Instant, f units.Frequency) {
	if c != nil {
		c.clocks.Change(at, f)
	}
}

// first has the mappings of the target's first process read.
func (c *calls) first(pid int, at units.Instant) {
	if c == nil || c.begun {
		return
	}
	c.begun = true
	c.program(pid, at)
}

// program has the mappings of a process read whose program has just begun: it may end soon.
func (c *calls) program(pid int, at units.Instant) {
	if c == nil {
		return
	}
	c.cfg.Rings.Saw(c.of.images.at(pid, at), pid, nil)
}

// tick announces the period, and asks for records now and then.
func (c *calls) tick(at units.Instant) {
	if c == nil {
		return
	}
	if c.of.started {
		n := uint32(at.Sub(c.of.begin)/c.cfg.Length) + 1
		c.cfg.Period(max(n, 1))
	}
	if at.Sub(c.asked) >= askEvery {
		c.asked = at
		c.cfg.Rings.AskRecords(at)
	}
	if at.Sub(c.sawAt) >= sawEvery && len(c.fresh) > 0 {
		c.sawAt = at
		for image, addrs := range c.fresh {
			c.cfg.Rings.Saw(image, c.pids[image], addrs)
		}
		clear(c.fresh)
		clear(c.pids)
	}
}

// ours reports whether a process is the target's and lives. The program names the process in its
// records, and the files of any other process must stay closed to it.
func (c *calls) ours(pid uint32, at units.Instant) bool {
	if pid == 0 || pid > 1<<30 {
		return false
	}
	m := c.of.people.all[c.of.lives.at(epochs.TID(pid), at)]
	return m != nil && m.threads == 0
}

// image returns the image of a record's process. A process that has ended and never had an image
// has none.
func (c *calls) image(pid uint32, at units.Instant) (protocol.Image, bool) {
	if image, ok := c.of.images.known(int(pid), at); ok {
		return image, true
	}
	if !c.ours(pid, at) || c.of.people.all[c.of.lives.at(epochs.TID(pid), at)].ended != 0 {
		return noImage, false
	}
	image := c.of.images.at(int(pid), at)
	return image, image != noImage
}

// record keeps a record until all windows that it lies in are booked.
func (c *calls) record(r *instrumented.Record) {
	c.records++
	if r.Begin > r.End || r.End > 1<<62 || r.CPU > r.End-r.Begin+uint64(time.Millisecond) {
		c.unknown++ // no library writes such a record
		return
	}
	at := units.Instant(r.Begin)
	if image, ok := c.image(r.PID, at); ok {
		key := protocol.Address{Image: image, Addr: r.Function}
		if c.known[key] == nil && len(c.known) < maxFunctions {
			c.known[key] = &energy.Invocations{}
			if len(c.fresh[image]) < protocol.MaxSaw {
				c.fresh[image] = append(c.fresh[image], r.Function)
				c.pids[image] = int(r.PID)
			}
		}
	}
	if len(c.waiting) >= maxWaiting {
		c.surplus++
		return
	}
	c.waiting = append(c.waiting, *r)
}

// booked adds a window, and the records whose windows are all booked now.
func (c *calls) booked(w *energy.Window) {
	if c == nil {
		return
	}
	if c.counted == nil {
		c.counted = profile.Counted(zoneNames(c.of.cfg.Meter))
	}
	clock, _ := c.clocks.Mean(w.From, w.To) // 0 where it is unknown
	runs := map[epochs.TID]time.Duration{}
	for i := range w.Runs {
		runs[w.Runs[i].Thread] += w.Runs[i].Time()
	}
	for t, amounts := range c.of.ledgers[0].Charged() {
		var sum units.Energy
		for z, e := range amounts {
			if c.counted[z] {
				sum += e
			}
		}
		c.line.Book(t, &energy.Stretch{From: w.From, To: w.To, Run: runs[t], Energy: sum,
			Instructions: c.instructions(t, w.From, w.To), Clock: clock})
	}
	c.forget(w.To)
	kept := c.waiting[:0]
	for i := range c.waiting {
		if r := &c.waiting[i]; units.Instant(r.End) > w.To {
			kept = append(kept, *r)
		} else {
			c.price(r)
		}
	}
	c.waiting = kept
}

// takeLast takes the last records. No period is on any more.
func (c *calls) takeLast(ctx context.Context, now func() units.Instant) {
	if c == nil {
		return
	}
	c.cfg.Period(0)
	c.cfg.Rings.LastRecords(ctx, now)
}
