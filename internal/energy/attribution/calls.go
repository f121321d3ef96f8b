package attribution

import (
	"context"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/calls/layout"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// Functions is what a run that counts an instrumented program's calls needs.
type Functions struct {
	Rings    Rings
	Settings layout.Settings
	Counters []string      // the names of Settings.Events
	Length   time.Duration // of a period
	// Instructions is the place of the threads' own instructions among the counters of their
	// slices; negative where nothing counts them.
	Instructions int
	Period       func(n uint32) // says which period it is; 0: nothing is profiled
	// FirstID returns the id by which a thread is known, of the one that the program knows: that of
	// its PID namespace, taken to be ebb's. It is 0 where no thread of the target has it. It is nil
	// where both are the same.
	FirstID func(own int) epochs.TID
}

// Rings reads what an instrumented program writes in another process. *sandbox.Host does.
type Rings interface {
	// AskRecords asks for new records, which Reader.Poll then hands to what Record returns.
	AskRecords(at units.Instant)
	LastRecords(ctx context.Context, now func() units.Instant)
	LostRecords() uint64
	// Saw has the mappings of an image read, if they lack one of these addresses.
	Saw(image protocol.Image, pid int, addrs []uint64)
	Calls(ctx context.Context, limit int, take func(*layout.Calls)) (
		totals layout.Totals, more bool, err error)
	// Instrumented are the functions that the images' files were compiled to count.
	Instrumented(ctx context.Context, images []protocol.Image, limit int,
		take func(protocol.Frame)) (more bool, err error)
}

// Bounds of what is kept, whatever the program writes.
const (
	maxFunctions = 1 << 14 // with records, by image
	maxWaiting   = 1 << 15 // records whose windows are not booked
	maxPriced    = 1 << 15 // records that are not added to their functions: 4 MB
	maxCounts    = 1 << 20 // counts of calls that are read: one of each function and thread
	maxCalled    = 1 << 18 // functions of processes, of these
)

// How often records are asked for, and mappings read because of them.
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
	counted []bool // zones
	waiting []layout.Record
	retired map[epochs.TID][]retired // in slices of windows that are not booked
	priced  []priced
	known   map[protocol.Address]*energy.Invocations
	fresh   map[protocol.Image][]uint64
	pids    map[protocol.Image]int // of fresh
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
func (c *Attributor) Record(r *layout.Record) {
	r.PID, r.TID = c.calls.cfg.firstID(r.PID), c.calls.cfg.firstID(r.TID)
	c.calls.record(r)
}

// firstID is FirstID of an id that the program wrote.
func (f *Functions) firstID(own uint32) uint32 {
	if f.FirstID == nil {
		return own
	}
	return uint32(f.FirstID(int(own)))
}

// clock takes the machine's clock from a time on.
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

// tick says which period it is, and asks for records now and then.
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

// ours reports whether a process is the target's and lives. The program names it in its records:
// any other process's files must stay closed to it.
func (c *calls) ours(pid uint32, at units.Instant) bool {
	if pid == 0 || pid > 1<<30 {
		return false
	}
	m := c.of.people.all[c.of.lives.at(epochs.TID(pid), at)]
	return m != nil && m.threads == 0
}

// image is the image of a record's process. A process that has ended and never had one has none.
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

// record keeps a record until the windows are booked that it lies in.
func (c *calls) record(r *layout.Record) {
	c.records++
	if r.Begin > r.End || r.End > 1<<62 || r.CPU > r.End-r.Begin+uint64(time.Millisecond) {
		c.unknown++ // no library writes this
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

// booked adds a window, and the records that lie in windows that are all booked now.
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
	c.line.Booked(w.To)
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

// settle takes the last records. No period is on any more.
func (c *calls) settle(ctx context.Context, now func() units.Instant) {
	if c == nil {
		return
	}
	c.cfg.Period(0)
	c.cfg.Rings.LastRecords(ctx, now)
}
