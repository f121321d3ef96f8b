package sandbox

import (
	"sort"
	"time"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// OriginReader reads the mappings of another process. *Host is one.
type OriginReader interface {
	Bind(image protocol.Image, pid int)
	Forget(image protocol.Image)
	AskOrigins(q *protocol.AskOrigins, at units.Instant) bool
}

// Bounds of what is kept. Code beyond them stays unknown.
const (
	maxProcesses = 1 << 12
	maxPlaces    = 1 << 14 // places of one process
	maxAllPlaces = 1 << 17
	// The mappings are asked for again where an address lies in none: after firstPause, and after
	// twice the time at each question in vain, up to lastPause.
	firstPause, lastPause = 20 * time.Millisecond, 5 * time.Second
)

// Origins knows which code lies where in all processes. It is for one goroutine.
type Origins struct {
	reader    OriginReader
	functions bool // it asks for functions, and not for files
	count     protocol.Image
	places    int           // number of places of all processes
	now       units.Instant // time of the last Tick
	processes map[int]*processOrigins
	images    map[protocol.Image]*processOrigins
}

// processOrigins holds what is known of a program in a process.
type processOrigins struct {
	pid    int
	image  protocol.Image
	list   []protocol.Origin // by Start; none overlaps another
	made   []made            // by Start; none overlaps another
	wanted []uint64
	pause  time.Duration
	asked  units.Instant
}

// NewOrigins returns Origins that know nothing yet. They ask for functions, or else for files.
func NewOrigins(r OriginReader, functions bool) *Origins {
	return &Origins{reader: r, functions: functions, processes: map[int]*processOrigins{},
		images: map[protocol.Image]*processOrigins{}}
}

// Find returns the place that an address of a process lies in. If it is not known it is asked for.
func (o *Origins) Find(pid int, addr uint64) (*protocol.Origin, bool) {
	p := o.processes[pid]
	if p == nil {
		if len(o.processes) >= maxProcesses {
			return nil, false
		}
		o.count++
		p = &processOrigins{pid: pid, image: o.count, pause: firstPause}
		o.processes[pid], o.images[p.image] = p, p
		o.reader.Bind(p.image, pid)
	}
	if x := p.listed(addr); x != nil {
		return x, true
	}
	if x, ok := p.find(addr, o.now); ok {
		return x, x != nil
	}
	if len(p.wanted) < protocol.MaxOrigins {
		p.wanted = append(p.wanted, addr)
	}
	return nil, false
}

// listed returns the place of a file or function that an address lies in; nil: none is known.
func (p *processOrigins) listed(addr uint64) *protocol.Origin {
	i := sort.Search(len(p.list), func(i int) bool { return p.list[i].Start > addr })
	if i == 0 || addr >= p.list[i-1].End {
		return nil
	}
	return &p.list[i-1]
}

// Known does what Find does, and asks for nothing.
func (o *Origins) Known(pid int, addr uint64) (*protocol.Origin, bool) {
	p := o.processes[pid]
	if p == nil {
		return nil, false
	}
	if x := p.listed(addr); x != nil {
		return x, true
	}
	if x := p.at(addr); x != nil && o.now.Sub(x.read) < trusted {
		return &x.Origin, true
	}
	return nil, false
}

// Tick asks for what is wanted of processes whose pause is over. The caller calls it now and then.
func (o *Origins) Tick(at units.Instant) {
	o.now = at
	for _, p := range o.processes {
		if len(p.wanted) == 0 || p.asked != 0 && at.Sub(p.asked) < p.pause {
			continue
		}
		q := protocol.AskOrigins{Image: p.image, PID: uint32(p.pid), Functions: o.functions,
			Addrs: p.wanted}
		if !o.reader.AskOrigins(&q, at) {
			continue
		}
		p.wanted, p.asked = p.wanted[:0], at
		p.pause = min(2*p.pause, lastPause)
	}
}

// Take takes the reader's answer about an image. Files replace all that were known; functions are
// added.
func (o *Origins) Take(image protocol.Image, list []protocol.Origin) {
	p := o.images[image]
	if p == nil {
		return
	}
	found, before := o.takeMade(p, list), len(p.list)
	o.places -= before
	if !o.functions && found < len(list) {
		p.list = p.list[:0] // the new one is whole
	}
	for _, x := range list {
		if x.Made {
			continue
		}
		i := sort.Search(len(p.list), func(i int) bool { return p.list[i].Start > x.Start })
		overlaps := i > 0 && p.list[i-1].End > x.Start ||
			i < len(p.list) && p.list[i].Start < x.End
		if overlaps || len(p.list) >= min(maxPlaces, maxAllPlaces-o.places) {
			continue
		}
		p.list = append(p.list, protocol.Origin{})
		copy(p.list[i+1:], p.list[i:])
		p.list[i] = x
	}
	o.places += len(p.list)
	if found > 0 || len(p.list) > before {
		p.pause = firstPause
	}
}

// Replaced says that a process runs another program, or that its id is another's.
func (o *Origins) Replaced(pid int) {
	if p := o.processes[pid]; p != nil {
		o.reader.Forget(p.image)
		o.places -= len(p.list) + len(p.made)
		delete(o.images, p.image)
		delete(o.processes, pid)
	}
}
