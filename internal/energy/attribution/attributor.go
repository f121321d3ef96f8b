package attribution

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/energy/stream"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks"
	"github.com/ebb-energy/ebb/units"
)

// Period is the length of a window. The hardware's meters tick once in a millisecond or so, so the
// amount of a window of 100 ms is a percent off at most.
const Period = 100 * time.Millisecond

// Sampler is the source of stacks. *stacks.Sampler is one.
type Sampler interface {
	// Drain hands samples over until there are none, or until take returns that it takes no more
	// now.
	Drain(take func(*stacks.Sample) bool) error
	Counts() (taken, lost uint64, err error)
	Shallow() (n uint64, err error)
	// Every changes the CPU time between two samples, from now on.
	Every(period time.Duration) error
}

// Config has the parts and settings of an Attributor.
type Config struct {
	Rate    int // samples per second of CPU time; 0: nothing is sampled
	Meter   Meter
	Rules   []energy.Rule // the first divides the energy that the report shows
	Cores   map[energy.CPU]energy.Core
	Sampler Sampler
	Callers Callers // nil when the network is not counted
	// Functions is nil when the calls of an instrumented program are not counted.
	Functions *Functions
	Stat      string // file with the kernel's account of busy CPUs, usually /proc/stat
	// Own returns the CPU time of ebb's processes so far; nil where that is not known.
	Own    func() time.Duration
	Reader Reader
	// Trace is nil where no tables of the windows are wanted.
	Trace *stream.Trace
	// Marks is nil where no marks of the program are wanted.
	Marks Marks
	// Ended finds the process and the name of a thread that ended a moment ago, or pid 0 where they
	// are not known. Nil: they are never known.
	Ended  func(epochs.TID) (pid int, comm string)
	WarmUp time.Duration // the part of the run's beginning that is left out
	Window time.Duration // the least length of a window; 0: Period
	// Budget is the slowdown that is allowed, within which sampling keeps by itself; 0: it does
	// not.
	Budget float64
	Live   *Live // nil: nothing is shown before the end
}

// Attributor is a governor.Observer that keeps the ledgers of a run.
type Attributor struct {
	cfg      Config
	problems []string // problems found by the attributor
	builder  *energy.Builder
	ledgers  []*energy.Ledger
	begin    units.Instant
	last     units.Instant
	clocks   clocks
	started  bool
	early    uint64 // number of samples in the warm-up
	stat     statFile
	// before has the CPUs' busy time at the last reading; nil where it cannot be read, and other
	// programs' energy then counts as the target's and as idle
	before map[energy.CPU]time.Duration
	own    ownTimes
	smooth smoother
	gives  giving

	stacks  *stackTable
	images  *images
	lives   *lives // all threads below have its numbers
	exits   []exit
	callers map[callerKey]caller
	people  *population
	line    energy.Strip[profile.Point]
	windows int
	walking map[protocol.Image]bool // images with stacks that are being walked
	calls   *calls                  // nil where Config.Functions is
	live    *live                   // nil where Config.Live is, and before the start
	marked  *marked                 // nil where Config.Marks is
	traced  map[energy.StackID]bool // the stacks that the trace's samples can mean; nil: all
	err     error
}

// exit is a thread that has ended. It is kept until its last window is booked.
type exit struct {
	thread epochs.TID
	at     units.Instant
}

// New makes an attributor that has seen nothing.
func New(c Config) *Attributor {
	gives := newGiving(&c)
	if c.Window <= 0 {
		c.Window = Period
	}
	n := &Attributor{
		cfg: c, stat: statFile{path: c.Stat}, stacks: newStackTable(), gives: gives,
		walking: map[protocol.Image]bool{},
		lives:   newLives(), callers: map[callerKey]caller{},
		line: energy.Strip[profile.Point]{Most: maxPoints, Join: joined},
	}
	n.people = newPopulation(n.lives)
	n.images = newImages(c.Reader)
	n.builder = energy.NewBuilder(c.Cores, n.book)
	if c.Functions != nil {
		n.calls = newCalls(n)
	}
	if c.Marks != nil {
		n.marked = newMarked(n)
	}
	return n
}

// frequency returns the machine's clock after the events so far.
func (c *Attributor) frequency() units.Frequency { return c.clocks.now() }

// Clocks yields the parts of a time that have one clock each, by their ends. Windows that are being
// booked use it.
func (c *Attributor) Clocks(from, to units.Instant) iter.Seq2[units.Instant, units.Frequency] {
	return c.clocks.between(from, to)
}

// Observe implements governor.Observer.
func (c *Attributor) Observe(ev *governor.Event, actions []governor.Action) {
	c.giveWay(actions)
	switch ev.Kind {
	case governor.Begin:
		c.clock(ev)
		if c.begin = ev.At.Add(c.cfg.WarmUp); c.cfg.WarmUp <= 0 {
			c.start(ev.At)
		}
	case governor.Applied:
		c.clock(ev)
	case governor.End:
		if !c.started {
			c.problems = append(c.problems,
				fmt.Sprintf("the program ended within its first %v, which were left out",
					c.cfg.WarmUp))
			c.drain()
			c.start(ev.At)
		}
		c.cut(ev.At)
		c.drain()
		c.delivered(ev.At)
		c.stat.close()
	case governor.Sched:
		c.sched(&ev.Sched)
	}
}

func (c *Attributor) clock(ev *governor.Event) {
	c.clocks.set(ev.At, ev.Frequency)
	c.calls.clock(ev.At, ev.Frequency)
}

func (c *Attributor) start(at units.Instant) {
	c.begin, c.last, c.started = at, at, true
	zones := c.cfg.Meter.Zones()
	for _, r := range c.cfg.Rules {
		c.ledgers = append(c.ledgers, energy.New(zones, r, c.cfg.period()))
	}
	c.live = newLive(c, at)
	c.before = c.stat.busy()
	c.own.begin(c.cfg.Own)
	c.cfg.Meter.Cut(at)
	c.builder.Begin(at)
}

func (c *Attributor) sched(ev *epochs.Event) {
	switch ev.Kind {
	case epochs.Fork:
		c.lives.created(ev.Thread, ev.At)
		c.images.created(int(ev.Thread), ev.At)
	case epochs.Exec:
		c.images.replaced(int(ev.Thread), ev.At) // the thread that remains has the process's id
		c.calls.program(int(ev.Thread), ev.At)
	case epochs.On:
		c.calls.first(int(ev.Thread), ev.At)
	case epochs.Off, epochs.Slice:
		if ev.From > 0 && ev.At > ev.From {
			t := c.lives.runs(ev.Thread, ev.From)
			if from := max(ev.Began(), c.begin); c.started && ev.At > from {
				t, m := c.people.of(t)
				m.run += ev.At.Sub(from)
				s := energy.Slice{Thread: t, CPU: energy.CPU(ev.CPU), From: from}
				for s.To, s.Frequency = range c.clocks.between(from, ev.At) {
					c.builder.Slice(s)
					s.From = s.To
				}
				c.calls.slice(t, ev)
			}
		}
		// The record of the exit itself comes before: a thread exits while it still runs.
		if ev.Kind == epochs.Off && ev.Cause == epochs.Exited {
			c.exits = append(c.exits, exit{c.lives.ended(ev.Thread, ev.At), ev.At})
		}
	case epochs.Tick:
		c.drain()
		c.calls.tick(ev.At)
		c.marked.tick(ev.At)
		c.cfg.Reader.Poll(ev.At)
		if !c.started {
			if ev.At >= c.begin {
				c.start(ev.At)
			}
			return
		}
		c.delivered(ev.At)
		if ev.At.Sub(c.last) >= c.cfg.Window*time.Duration(c.gives.now.Windows) {
			c.cut(ev.At)
			c.delivered(ev.At)
		}
		c.live.tick(ev.At)
	}
}

// cut ends a window.
func (c *Attributor) cut(at units.Instant) {
	if !c.started {
		return
	}
	c.last = at
	after := c.stat.busy()
	c.own.cut(c.cfg.Own)
	c.builder.Reading(at, c.cfg.Meter.Cut(at), others(c.before, after))
	c.before = after
	c.marked.cut(at)
}

// delivered books the windows up to a time, or up to the oldest sample whose stack is not known
// yet.
func (c *Attributor) delivered(at units.Instant) {
	if oldest, waits := c.cfg.Reader.Oldest(); waits {
		at = min(at, oldest)
	}
	c.builder.Delivered(c.marked.known(at))
}

// Settle waits for the stacks that are still being walked, and books the last window. It is called
// when nothing is governed any more.
func (c *Attributor) Settle(ctx context.Context, now func() units.Instant) {
	for range maxRounds {
		c.cfg.Reader.Settle(ctx, now)
		if c.drain(); c.cfg.Reader.Room() {
			break
		}
	}
	c.cfg.Reader.Settle(ctx, now)
	c.calls.settle(ctx, now)
	c.marked.settle(ctx, now)
	c.builder.Delivered(c.last)
}

// maxRounds bounds the readings of the sampler's ring at the end. Each time more samples are taken
// than it holds.
const maxRounds = 4096

// drain takes samples as long as there are some and there is room for them.
func (c *Attributor) drain() {
	if err := c.cfg.Sampler.Drain(c.sample); err != nil && c.err == nil {
		c.err = err
	}
	if c.cfg.Callers != nil && c.cfg.Reader.Room() {
		c.cfg.Callers.Callers(c.called)
	}
}

func (c *Attributor) sample(s *stacks.Sample) bool {
	if !c.started {
		c.early++
		return c.cfg.Reader.Room()
	}
	image := c.images.at(s.PID, s.At)
	t, m := c.people.of(c.lives.at(s.Thread, s.At))
	if t != c.people.crowd {
		m.pid, m.process = s.PID, c.lives.at(epochs.TID(s.PID), s.At)
	}
	out := energy.Sample{Thread: t, At: s.At, Frequency: c.clocks.at(s.At), Period: s.Period}
	kernel := slices.Clone(s.Kernel)
	c.walk(image, s, func(user []uint64, end protocol.End) {
		out.Stack = c.stacks.intern(image, kernel, user, end)
		c.builder.Sample(out)
	})
	return c.cfg.Reader.Room()
}

// book divides a whole window by every rule.
func (c *Attributor) book(w *energy.Window) {
	if c.cfg.Window < Period {
		c.smooth.others(w)
	} else {
		without(w)
	}
	w.Own(c.own.next(), c.cpus())
	w.Beside(c.cfg.Cores)
	c.cfg.Meter.Fill(w)
	c.windows++
	c.marked.booked(w)
	for _, l := range c.ledgers {
		if err := l.Book(w); err != nil && c.err == nil {
			c.err = err
		}
	}
	if c.cfg.Trace != nil {
		c.cfg.Trace.Window(w, c.ledgers[0].Charged())
	}
	c.calls.booked(w)
	c.live.window(w)
	c.release(w.To)
	c.fold(w.To)
	c.point(w)
	c.clocks.forget(w.To)
}

// release makes the ledgers forget the threads that ended up to a window's end.
func (c *Attributor) release(to units.Instant) {
	kept := c.exits[:0]
	for _, e := range c.exits {
		if e.at > to {
			kept = append(kept, e)
			continue
		}
		for _, l := range c.ledgers {
			l.Exited(e.thread)
		}
		pid, comm := 0, ""
		if c.cfg.Ended != nil {
			pid, comm = c.cfg.Ended(c.lives.number(e.thread))
		}
		c.live.exited(e.thread, pid, comm)
		c.people.exited(e.thread, e.at, pid, comm)
		if c.cfg.Trace != nil {
			c.cfg.Trace.Name(e.thread, int(c.lives.number(e.thread)), pid, comm)
		}
	}
	c.exits = kept
}

// maxPoints bounds the time line.
const maxPoints = 4096

func (c *Attributor) point(w *energy.Window) {
	names := zoneNames(c.cfg.Meter)
	var used units.Energy
	for i, counted := range profile.Counted(names) {
		if counted {
			used += max(w.Used[i], 0)
		}
	}
	c.line.Add(profile.Point{
		AtNS: int64(w.From - c.begin), DurNS: int64(w.Dur()), Watts: float64(used.Over(w.Dur())),
		FreqHz: int64(c.clocks.now()),
	})
}

func joined(a, b profile.Point) profile.Point {
	if d := a.DurNS + b.DurNS; d > 0 {
		a.Watts = (a.Watts*float64(a.DurNS) + b.Watts*float64(b.DurNS)) / float64(d)
		a.DurNS = d
	}
	return a
}

func zoneNames(m Meter) []string {
	var names []string
	for _, z := range m.Zones() {
		names = append(names, z.Name)
	}
	return names
}

// Err returns the first thing that went wrong while collecting: the profile lacks what came after.
func (c *Attributor) Err() error {
	if c.err != nil {
		return c.err
	}
	for _, l := range c.ledgers {
		if err := l.Check(); err != nil {
			return fmt.Errorf("rule %s: %w", l.Rule(), err)
		}
	}
	return nil
}
