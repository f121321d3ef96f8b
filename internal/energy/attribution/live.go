package attribution

import (
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/energy/stream"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// Live configures the view of a run's energy while it goes on.
type Live struct {
	Every time.Duration // the least time between two lines
	// Take takes a line. It must not wait, and may keep the line.
	Take func(*stream.Line)
	// Look finds the process and the name of a living thread by the kernel's number.
	Look func(epochs.TID) (pid int32, comm string, ok bool)
	// Namer names addresses; nil where nothing is sampled.
	Namer Namer
}

// Namer names addresses while the program runs. *sandbox.Host is one.
type Namer interface {
	AskNames(list []protocol.Address, at units.Instant,
		take func([]protocol.Address, []protocol.Frame)) bool
	Marked(protocol.Address) (f protocol.Frame, known bool)
}

// Bounds of the names that are found while the program runs. The report has the names beyond them.
const (
	maxLiveFrames  = 1 << 16 // addresses
	maxLiveStacks  = 1 << 15 // stacks whose method is known
	maxLiveWaiting = 4096    // bookings that wait for names
	maxLiveLooks   = 256     // threads whose names are looked up between two lines
	maxLiveUnnamed = 1 << 15 // frames of stacks that wait; each answer goes through all of them
)

// unknownFrame stands for addresses that get no name while the program runs.
var unknownFrame = protocol.Frame{Name: "[unknown]", Kind: "unresolved"}

// Names of methods for bookings without one in a live view.
const (
	notNamed     = "[not named yet]"
	neverSampled = "[never sampled]"
)

// live keeps the account of a run. Its methods do nothing where it is nil.
type live struct {
	cfg     *Live
	of      *Attributor
	account *stream.Account
	counted []bool
	at      units.Instant // time of the line before

	p       profile.Profile // has the named frames, and a thread for each phase
	view    *profile.View
	frames  map[protocol.Address]int
	index   map[protocol.Frame]int
	asking  []protocol.Address
	wanted  map[protocol.Address]bool // addresses in asking, or already asked for
	methods map[liveStack]int
	waiting map[liveStack][]booking
	waits   int
	unnamed int // number of frames of the waiting stacks
	looks   int // number of threads whose names were looked up since the line before
}

// liveStack is a stack of a thread of some phase.
type liveStack struct {
	phase int
	stack energy.StackID
}

// booking is energy of a stack that waits for a name.
type booking struct {
	thread  epochs.TID
	e       units.Energy
	cpu     time.Duration
	samples int
	squares float64
	carried bool // a virtual thread used it
}

func newLive(c *Attributor, at units.Instant) *live {
	if c.cfg.Live == nil {
		return nil
	}
	v := &live{cfg: c.cfg.Live, of: c, account: stream.New(at, c.cfg.Live.Every), at: at,
		counted: profile.Counted(zoneNames(c.cfg.Meter)), frames: map[protocol.Address]int{},
		index: map[protocol.Frame]int{}, wanted: map[protocol.Address]bool{},
		methods: map[liveStack]int{}, waiting: map[liveStack][]booking{}}
	v.number(unknownFrame) // the first frame, for which there is always room
	if v.cfg.Namer != nil {
		v.view, _ = profile.NewView(&v.p, "method", nil) // this view always exists
		c.ledgers[0].Watch(v.booked)
	}
	return v
}

// window adds a window that was booked.
func (l *live) window(w *energy.Window) {
	if l == nil {
		return
	}
	for i := range w.Runs {
		l.account.Ran(w.Runs[i].Thread, w.Runs[i].Time())
	}
	for t, zones := range l.of.ledgers[0].Charged() {
		var sum units.Energy
		for zone, e := range zones {
			if l.counted[zone] {
				sum += e
			}
		}
		l.account.Charged(t, sum)
	}
}

// exited ends a thread.
func (l *live) exited(t epochs.TID, pid int, comm string) {
	if l != nil {
		l.account.Exited(t, l.of.lives.number(t), int32(pid), comm)
	}
}

// folded forgets the numbers of stacks, because they are used again.
func (l *live) folded() {
	if l == nil {
		return
	}
	clear(l.methods)
	l.release()
}

// release books all waiting energy without a name.
func (l *live) release() {
	if l.waits == 0 {
		return
	}
	i := l.account.Method(notNamed)
	for s, all := range l.waiting {
		for k := range all {
			l.book(i, &all[k])
		}
		delete(l.waiting, s)
	}
	l.waits, l.unnamed = 0, 0
}

// tick asks for names, and makes a line if it is due.
func (l *live) tick(at units.Instant) {
	if l == nil {
		return
	}
	l.ask(at)
	if at.Sub(l.at) >= l.cfg.Every {
		l.line(at, false)
	}
}

// line makes a line.
func (l *live) line(at units.Instant, last bool) {
	l.at, l.looks = at, 0
	m := stream.Machine{Frequency: l.of.frequency()}
	totals := l.of.ledgers[0].Totals()
	for zone, t := range totals {
		if l.counted[zone] {
			m.Total += t.Measured
			m.Others += t.Others
			m.Idle += t.Idle
		}
	}
	number := l.of.lives.number
	line := l.account.Line(at, &m, func(t epochs.TID) (int32, string, bool) {
		return l.cfg.Look(number(t))
	}, number)
	zones := l.of.cfg.Meter.Zones()
	line.Source, line.Rule = string(zones[0].Source), l.of.ledgers[0].Rule()
	line.AtNS, line.EveryNS, line.Ended = int64(at-l.of.begin), int64(l.cfg.Every), last
	l.cfg.Take(line)
}
