package attribution

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Bounds of the threads and processes that are kept separately. When more have ended, half of these
// are folded.
const (
	// maxMembers counts threads, including those that ended and are not folded. All further threads
	// are booked as one.
	maxMembers        = 16384
	maxEndedThreads   = 4096
	maxEndedProcesses = 1024
	maxGroups         = 1024 // lines of folded threads, each with its own process and name
)

// allArrived is the time after a thread's end by which all its events have arrived.
const allArrived = time.Second

// member is a thread, or several that were folded into one.
type member struct {
	pid     int
	process epochs.TID // number of the process's first thread; NoThread where that is not known
	run     time.Duration
	ended   units.Instant // 0: it lives, or stands for several
	comm    string        // name of a thread that has ended, or of the threads it stands for
	// threads is the number of ended threads that it stands for; 0 for a single thread. processes
	// counts those of them that were a process's first thread.
	threads, processes int
}

// groupKey identifies the threads that are folded together.
type groupKey struct {
	process epochs.TID // NoThread: the threads are of processes that ended
	comm    string
}

// population is the target's threads, by their lives' numbers. Its size is bounded.
type population struct {
	lives  *lives
	all    map[epochs.TID]*member
	groups map[groupKey]epochs.TID
	crowd  epochs.TID // stands for all threads beyond maxMembers; NoThread: there were none
	ended  int        // number of ended threads that are not folded
	gone   int        // number of processes among them, by their first threads
}

func newPopulation(l *lives) *population {
	p := &population{lives: l, all: map[epochs.TID]*member{},
		groups: map[groupKey]epochs.TID{}, crowd: epochs.NoThread}
	l.has = func(t epochs.TID) bool { return p.all[t] != nil }
	return p
}

// of returns the number under which a thread is booked, and its record.
func (p *population) of(t epochs.TID) (epochs.TID, *member) {
	if m := p.all[t]; m != nil {
		return t, m
	}
	if len(p.all) >= maxMembers {
		if p.crowd == epochs.NoThread {
			p.crowd = p.lives.unused()
			p.all[p.crowd] = &member{process: epochs.NoThread, comm: crowdName}
		}
		return p.crowd, p.all[p.crowd]
	}
	m := &member{process: epochs.NoThread}
	p.all[t] = m
	return t, m
}

// Names of threads that stand for others.
const (
	crowdName  = "(more threads)"
	othersName = "(others)" // stands for ended threads of too many different names
)

// exited notes that a thread has ended, with its process and name; pid 0 where these are not known.
// It reports whether the thread has a record of its own. Nothing is kept of a thread that never had
// one.
func (p *population) exited(t epochs.TID, at units.Instant, pid int, comm string) bool {
	m := p.all[t]
	if m == nil {
		p.lives.forget(t)
		return false
	}
	m.ended, m.comm = at, comm
	if pid != 0 {
		m.pid, m.process = pid, p.lives.at(epochs.TID(pid), at)
		if p.lives.number(t) == epochs.TID(pid) {
			m.process = t // also where another had its id before it stopped
		}
	}
	p.ended++
	if m.process == t {
		p.gone++
	}
	return true
}

// over reports whether more threads or processes have ended than are kept.
func (p *population) over() bool { return p.ended > maxEndedThreads || p.gone > maxEndedProcesses }

// fold chooses the ended threads with the least energy, and returns which thread each is part of
// from now on. Threads of a kept process stay with it, so that its stacks mean something. First
// threads go only with their processes.
func (p *population) fold(
	now units.Instant, energy map[epochs.TID]int64,
) map[epochs.TID]epochs.TID {
	to := map[epochs.TID]epochs.TID{}
	if !p.over() {
		return to
	}
	p.foldProcesses(now, energy, to)
	var ended []epochs.TID
	for t, m := range p.all {
		if m.ended != 0 && now.Sub(m.ended) >= allArrived && to[t] == 0 && m.process != t {
			ended = append(ended, t)
		}
	}
	least(ended, energy)
	for _, t := range ended[:min(max(p.ended-maxEndedThreads/2, 0), len(ended))] {
		p.join(t, groupKey{p.all[t].process, p.all[t].comm}, to)
	}
	return to
}

func (p *population) foldProcesses(
	now units.Instant, energy map[epochs.TID]int64, to map[epochs.TID]epochs.TID,
) {
	if p.gone <= maxEndedProcesses {
		return
	}
	parts, alive := map[epochs.TID][]epochs.TID{}, map[epochs.TID]bool{}
	all := map[epochs.TID]int64{}
	for t, m := range p.all {
		if m.process == epochs.NoThread {
			continue
		}
		parts[m.process] = append(parts[m.process], t)
		all[m.process] += energy[t]
		if m.threads == 0 && (m.ended == 0 || now.Sub(m.ended) < allArrived) {
			alive[m.process] = true
		}
	}
	processes := slices.Collect(maps.Keys(parts))
	processes = slices.DeleteFunc(processes, func(q epochs.TID) bool {
		return alive[q] || p.all[q] == nil
	})
	least(processes, all)
	for _, q := range processes[:min(p.gone-maxEndedProcesses/2, len(processes))] {
		slices.Sort(parts[q])
		for _, t := range parts[q] {
			m := p.all[t]
			if m.threads > 0 {
				delete(p.groups, groupKey{q, m.comm})
			}
			p.join(t, groupKey{epochs.NoThread, m.comm}, to)
		}
	}
}

// least sorts threads by energy, the least first.
func least(of []epochs.TID, energy map[epochs.TID]int64) {
	slices.SortFunc(of, func(a, b epochs.TID) int {
		return cmp.Or(cmp.Compare(energy[a], energy[b]), cmp.Compare(a, b))
	})
}

// join makes a thread, or a group of them, a part of a group.
func (p *population) join(t epochs.TID, k groupKey, to map[epochs.TID]epochs.TID) {
	m := p.all[t]
	id, ok := p.groups[k]
	if !ok && len(p.groups) >= maxGroups {
		k = groupKey{epochs.NoThread, othersName}
		id, ok = p.groups[k]
	}
	if !ok {
		id = p.lives.unused()
		p.groups[k] = id
		g := &member{process: k.process, comm: k.comm}
		if k.process != epochs.NoThread {
			g.pid = m.pid
		}
		p.all[id] = g
	}
	g := p.all[id]
	g.run += m.run
	g.threads += max(m.threads, 1)
	g.processes += m.processes
	if m.threads == 0 {
		p.ended--
		if m.process == t {
			p.gone--
			g.processes++
		}
		p.lives.forget(t)
	}
	delete(p.all, t)
	to[t] = id
}

// dead reports whether a process has been folded as a whole, so that the meaning of its addresses
// is of no more use.
func (p *population) dead(id epochs.TID) bool {
	m := p.all[id]
	return m != nil && m.threads > 0 && m.process == epochs.NoThread
}

// processes returns the kernel's ids of the processes of some members.
func (p *population) processes(some func(*member) bool) map[int]bool {
	out := map[int]bool{}
	for _, m := range p.all {
		if m.pid != 0 && some(m) {
			out[m.pid] = true
		}
	}
	return out
}
