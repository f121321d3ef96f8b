package attribution

import (
	"fmt"
	"iter"
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
	// Resumes has the places within a page at which the program goes on behind breakpoints of
	// ebb's; empty where there are none.
	Resumes map[uint64]bool
	Live    *Live // nil: nothing is shown before the end
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

	breakpoints breakpoints

	stacks  *stackTable
	images  *images
	lives   *lives // all threads below have its numbers
	exits   []exit
	callers map[callerKey]caller
	people  *population
	virtual virtual
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
	n.breakpoints.resumes = c.Resumes
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
func (a *Attributor) frequency() units.Frequency { return a.clocks.now() }

// Clocks yields the parts of a time that have one clock each, by their ends. Windows that are being
// booked use it.
func (a *Attributor) Clocks(from, to units.Instant) iter.Seq2[units.Instant, units.Frequency] {
	return a.clocks.between(from, to)
}

// Observe implements governor.Observer.
func (a *Attributor) Observe(ev *governor.Event, actions []governor.Action) {
	a.giveWay(actions)
	switch ev.Kind {
	case governor.Begin:
		a.clock(ev)
		if a.begin = ev.At.Add(a.cfg.WarmUp); a.cfg.WarmUp <= 0 {
			a.start(ev.At)
		}
	case governor.Applied:
		a.clock(ev)
	case governor.End:
		if !a.started {
			a.problems = append(a.problems,
				fmt.Sprintf("the program ended within its first %v, which were left out",
					a.cfg.WarmUp))
			a.drain()
			a.start(ev.At)
		}
		a.cut(ev.At)
		a.drain()
		a.delivered(ev.At)
		a.stat.close()
	case governor.Sched:
		a.sched(&ev.Sched)
	}
}

func (a *Attributor) clock(ev *governor.Event) {
	a.clocks.set(ev.At, ev.Frequency)
	a.calls.clock(ev.At, ev.Frequency)
}

func (a *Attributor) start(at units.Instant) {
	a.begin, a.last, a.started = at, at, true
	zones, counted := a.cfg.Meter.Zones(), profile.Counted(zoneNames(a.cfg.Meter))
	for _, r := range a.cfg.Rules {
		l := energy.New(zones, r, a.cfg.period())
		l.Count(counted)
		a.ledgers = append(a.ledgers, l)
	}
	a.live = newLive(a, at)
	a.before = a.stat.busy()
	a.own.begin(a.cfg.Own)
	a.cfg.Meter.Cut(at)
	a.builder.Begin(at)
}

func (a *Attributor) sched(ev *epochs.Event) {
	switch ev.Kind {
	case epochs.Fork:
		a.lives.created(ev.Thread, ev.At)
		a.images.created(int(ev.Thread), ev.At)
	case epochs.Exec:
		// The thread that remains has the process's id.
		a.lives.renamed(ev.By, ev.Thread, ev.At)
		a.images.replaced(int(ev.Thread), ev.At)
		a.calls.program(int(ev.Thread), ev.At)
	case epochs.Exit:
		a.lives.exits(ev.Thread)
	case epochs.On:
		a.calls.first(int(ev.Thread), ev.At)
	case epochs.Off, epochs.Slice:
		t, ends := a.lives.runs(ev)
		if ev.From > 0 && ev.At > ev.From {
			if from := max(ev.Began(), a.begin); a.started && ev.At > from {
				t, m := a.people.of(t)
				m.run += ev.At.Sub(from)
				s := energy.Slice{Thread: t, CPU: energy.CPU(ev.CPU), From: from}
				for s.To, s.Frequency = range a.clocks.between(from, ev.At) {
					a.builder.Slice(s)
					s.From = s.To
				}
				a.calls.slice(t, ev)
			}
		}
		// The record of the exit itself comes before: a thread exits while it still runs.
		if ends {
			a.exits = append(a.exits, exit{t, ev.At})
		}
	case epochs.Tick:
		a.drain()
		a.calls.tick(ev.At)
		a.marked.tick(ev.At)
		a.cfg.Reader.Poll(ev.At)
		if !a.started {
			if ev.At >= a.begin {
				a.start(ev.At)
			}
			return
		}
		a.delivered(ev.At)
		if ev.At.Sub(a.last) >= a.cfg.Window*time.Duration(a.gives.now.Windows) {
			a.cut(ev.At)
			a.delivered(ev.At)
		}
		a.live.tick(ev.At)
	}
}

// cut ends a window.
func (a *Attributor) cut(at units.Instant) {
	if !a.started {
		return
	}
	a.last = at
	after := a.stat.busy()
	a.own.cut(a.cfg.Own)
	a.builder.Reading(at, a.cfg.Meter.Cut(at), others(a.before, after))
	a.before = after
	a.marked.cut(at)
}

// delivered books the windows up to a time, or up to the oldest sample whose stack is not known
// yet.
func (a *Attributor) delivered(at units.Instant) {
	if oldest, waits := a.cfg.Reader.Oldest(); waits {
		at = min(at, oldest)
	}
	a.builder.Delivered(a.marked.known(at))
}

// drain takes samples as long as there are some and there is room for them.
func (a *Attributor) drain() {
	if err := a.cfg.Sampler.Drain(a.sample); err != nil && a.err == nil {
		a.err = err
	}
	if a.cfg.Callers != nil && a.cfg.Reader.Room() {
		a.cfg.Callers.Callers(a.called)
	}
}

func (a *Attributor) sample(s *stacks.Sample) bool {
	if !a.started {
		a.early++
		return a.cfg.Reader.Room()
	}
	image := a.images.at(s.PID, s.At)
	t, m := a.people.of(a.lives.at(s.Thread, s.At))
	if t != a.people.crowd {
		m.pid, m.process = s.PID, a.lives.at(epochs.TID(s.PID), s.At)
	}
	out := energy.Sample{Thread: t, At: s.At, Frequency: a.clocks.at(s.At), Period: s.Period}
	kernel, mounted := a.breakpoints.kernel(s), s.Mounted
	a.walk(image, s, func(user []uint64, end protocol.End) {
		n := a.virtual.number(image, mounted, a.cfg.Reader.SpareVirtual)
		out.Stack = a.stacks.internAs(n, image, kernel, user, end)
		a.builder.Sample(out)
	})
	return a.cfg.Reader.Room()
}

// book divides a whole window by every rule.
func (a *Attributor) book(w *energy.Window) {
	if a.cfg.Window < Period {
		a.smooth.others(w)
	} else {
		without(w)
	}
	w.Own(a.own.next(), a.cpus())
	w.Beside(a.cfg.Cores)
	a.cfg.Meter.Fill(w)
	a.windows++
	a.marked.booked(w)
	for _, l := range a.ledgers {
		if err := l.Book(w); err != nil && a.err == nil {
			a.err = err
		}
	}
	if a.cfg.Trace != nil {
		a.cfg.Trace.Window(w, a.ledgers[0].Charged())
	}
	a.calls.booked(w)
	a.live.window(w)
	a.release(w.To)
	a.fold(w.To)
	a.point(w)
	a.clocks.forget(w.To)
}

// release makes the ledgers forget the threads that ended up to a window's end.
func (a *Attributor) release(to units.Instant) {
	kept := a.exits[:0]
	for _, e := range a.exits {
		if e.at > to {
			kept = append(kept, e)
			continue
		}
		for _, l := range a.ledgers {
			l.Exited(e.thread)
		}
		pid, comm := 0, ""
		if a.cfg.Ended != nil {
			pid, comm = a.cfg.Ended(a.lives.number(e.thread))
		}
		a.live.exited(e.thread, pid, comm)
		a.people.exited(e.thread, e.at, pid, comm)
		if a.cfg.Trace != nil {
			a.cfg.Trace.Name(e.thread, int(a.lives.number(e.thread)), pid, comm)
		}
	}
	a.exits = kept
}

// maxPoints bounds the time line.
const maxPoints = 4096

func (a *Attributor) point(w *energy.Window) {
	names := zoneNames(a.cfg.Meter)
	var used units.Energy
	for i, counted := range profile.Counted(names) {
		if counted {
			used += max(w.Used[i], 0)
		}
	}
	a.line.Add(profile.Point{
		AtNS: int64(w.From - a.begin), DurNS: int64(w.Dur()), Watts: float64(used.Over(w.Dur())),
		FreqHz: int64(a.clocks.now()),
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
func (a *Attributor) Err() error {
	if a.err != nil {
		return a.err
	}
	for _, l := range a.ledgers {
		if err := l.Check(); err != nil {
			return fmt.Errorf("rule %s: %w", l.Rule(), err)
		}
	}
	return nil
}
