// Package places knows which code of which file an address of a process is, by what another process
// has read of the processes' mappings. It parses nothing and waits for nobody: an address that is
// not known yet is asked for, and stays unknown meanwhile.
package places

import (
	"sort"
	"time"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// Reader reads mappings in another process. *sandbox.Host is one.
type Reader interface {
	Bind(image protocol.Image, pid int)
	Forget(image protocol.Image)
	AskOrigins(q *protocol.AskOrigins, at units.Instant) bool
}

// Bounds of what is kept. More is unknown.
const (
	maxProcesses = 1 << 12
	maxPlaces    = 1 << 14 // of a process
	maxAllPlaces = 1 << 17
	// The mappings are asked for again where an address lies in none: after firstPause, and after
	// twice the time at each question in vain, up to lastPause.
	firstPause, lastPause = 20 * time.Millisecond, 5 * time.Second
)

// Map has the places of all processes. It is for one goroutine.
type Map struct {
	reader    Reader
	functions bool // it asks for functions, and not for files
	count     protocol.Image
	places    int           // of all processes
	now       units.Instant // of the last Tick
	processes map[int]*process
	images    map[protocol.Image]*process
}

// process is a program in a process.
type process struct {
	pid    int
	image  protocol.Image
	list   []protocol.Origin // by Start; none overlaps another
	made   []made            // the same
	wanted []uint64
	pause  time.Duration
	asked  units.Instant
}

// New makes a map that knows nothing. It asks for files, or for functions.
func New(r Reader, functions bool) *Map {
	return &Map{reader: r, functions: functions, processes: map[int]*process{},
		images: map[protocol.Image]*process{}}
}

// Find is the place that an address of a process lies in. If it is not known it is asked for.
func (m *Map) Find(pid int, addr uint64) (*protocol.Origin, bool) {
	p := m.processes[pid]
	if p == nil {
		if len(m.processes) >= maxProcesses {
			return nil, false
		}
		m.count++
		p = &process{pid: pid, image: m.count, pause: firstPause}
		m.processes[pid], m.images[p.image] = p, p
		m.reader.Bind(p.image, pid)
	}
	if x := p.listed(addr); x != nil {
		return x, true
	}
	if x, ok := p.find(addr, m.now); ok {
		return x, x != nil
	}
	if len(p.wanted) < protocol.MaxOrigins {
		p.wanted = append(p.wanted, addr)
	}
	return nil, false
}

// listed is the place of a file that an address lies in; nil for none.
func (p *process) listed(addr uint64) *protocol.Origin {
	i := sort.Search(len(p.list), func(i int) bool { return p.list[i].Start > addr })
	if i == 0 || addr >= p.list[i-1].End {
		return nil
	}
	return &p.list[i-1]
}

// Known is Find, and asks for nothing.
func (m *Map) Known(pid int, addr uint64) (*protocol.Origin, bool) {
	p := m.processes[pid]
	if p == nil {
		return nil, false
	}
	if x := p.listed(addr); x != nil {
		return x, true
	}
	if x := p.at(addr); x != nil && m.now.Sub(x.read) < trusted {
		return &x.Origin, true
	}
	return nil, false
}

// Tick asks for what is wanted, as far as it is time. It is called now and then.
func (m *Map) Tick(at units.Instant) {
	m.now = at
	for _, p := range m.processes {
		if len(p.wanted) == 0 || p.asked != 0 && at.Sub(p.asked) < p.pause {
			continue
		}
		q := protocol.AskOrigins{Image: p.image, PID: uint32(p.pid), Functions: m.functions,
			Addrs: p.wanted}
		if !m.reader.AskOrigins(&q, at) {
			continue
		}
		p.wanted, p.asked = p.wanted[:0], at
		p.pause = min(2*p.pause, lastPause)
	}
}

// Take takes an answer.
func (m *Map) Take(image protocol.Image, list []protocol.Origin) {
	p := m.images[image]
	if p == nil {
		return
	}
	found, before := m.takeMade(p, list), len(p.list)
	m.places -= before
	if !m.functions && found < len(list) {
		p.list = p.list[:0] // the new one is whole
	}
	for _, x := range list {
		if x.Made {
			continue
		}
		i := sort.Search(len(p.list), func(i int) bool { return p.list[i].Start > x.Start })
		overlaps := i > 0 && p.list[i-1].End > x.Start ||
			i < len(p.list) && p.list[i].Start < x.End
		if overlaps || len(p.list) >= min(maxPlaces, maxAllPlaces-m.places) {
			continue
		}
		p.list = append(p.list, protocol.Origin{})
		copy(p.list[i+1:], p.list[i:])
		p.list[i] = x
	}
	m.places += len(p.list)
	if found > 0 || len(p.list) > before {
		p.pause = firstPause
	}
}

// Replaced says that a process has another program now, or that its id is another's.
func (m *Map) Replaced(pid int) {
	if p := m.processes[pid]; p != nil {
		m.reader.Forget(p.image)
		m.places -= len(p.list) + len(p.made)
		delete(m.images, p.image)
		delete(m.processes, pid)
	}
}
