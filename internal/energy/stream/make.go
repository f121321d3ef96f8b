package stream

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/units"
)

// Bounds of a line, which counts the rest.
const (
	mostThreads   = 100
	mostProcesses = 50
	mostMethods   = 50
)

// numbered is a thread with its number.
type numbered struct {
	id epochs.TID
	*thread
}

// Machine is what a line has of the machine.
type Machine struct {
	Total, Others, Idle units.Energy
	Frequency           units.Frequency
}

// stretch is the time over which a line's powers are means. It begins at the line before, or at the
// one before that where a run's last line comes soon after. Energy is booked by windows, and a
// window's energy over a part of its time would be a power that never was.
type stretch struct {
	time time.Duration
	both bool // it begins at the line before the one before
}

func (a *Account) stretch(at units.Instant) stretch {
	if took := at.Sub(a.at); 2*took >= a.every {
		return stretch{took, false}
	}
	return stretch{at.Sub(a.from), true}
}

// power returns the mean power of what has used e.
func (s stretch) power(e units.Energy, then since) float64 {
	if s.both {
		return float64((e - then.earlier).Over(s.time))
	}
	return float64((e - then.before).Over(s.time))
}

// Line makes the line of a moment. Look finds the process and the name of a thread that lives; ok
// is false where it has gone. Numbers turns a thread's number into the kernel's.
func (a *Account) Line(
	at units.Instant, m *Machine, look func(epochs.TID) (pid int32, comm string, ok bool),
	number func(epochs.TID) epochs.TID,
) *Line {
	now := a.stretch(at)
	l := &Line{Schema: lineSchema, FreqHz: int64(m.Frequency), TotalNJ: int64(m.Total),
		OthersNJ: int64(m.Others), IdleNJ: int64(m.Idle),
		Watts: now.power(m.Total, a.total), OverNS: int64(now.time), Samples: a.samples,
		SampledNJ: int64(a.sampled), VirtualNJ: int64(a.virtual), Processes: []Process{},
		Threads: []Thread{}}
	living := make([]numbered, 0, len(a.threads))
	for t, x := range a.threads {
		living = append(living, numbered{t, x})
	}
	top := foremost(living, mostThreads, func(x, y numbered) int {
		return cmp.Or(cmp.Compare(y.energy, x.energy), cmp.Compare(x.id, y.id))
	})
	a.look(top, living, look)
	a.processes(l, living, now)
	l.RestNJ = l.TotalNJ - l.TargetNJ - l.OthersNJ - l.IdleNJ
	l.Threads = append(l.Threads, a.gone...)
	for _, x := range top {
		l.Threads = append(l.Threads, Thread{TID: int32(number(x.id)), PID: x.pid, Name: x.comm,
			EnergyNJ: int64(x.energy), CPUNS: int64(x.cpu),
			Watts: now.power(x.energy, x.since)})
	}
	for _, x := range living {
		x.since = x.since.next(x.energy)
	}
	slices.SortFunc(l.Threads, func(x, y Thread) int {
		return cmp.Or(cmp.Compare(y.EnergyNJ, x.EnergyNJ), cmp.Compare(x.TID, y.TID))
	})
	l.Threads = l.Threads[:min(len(l.Threads), mostThreads)]
	for _, p := range a.ended {
		l.MoreThreads += p.threads
	}
	l.MoreThreads += len(living) - len(l.Threads)
	a.fill(l)
	a.from, a.at, a.total = a.at, at, a.total.next(m.Total)
	return l
}

// foremost returns the first n by an order, in that order. It sorts few of them even if there are
// many, because a program has as many threads as it likes.
func foremost[T any](all []T, n int, order func(x, y T) int) []T {
	first := make([]T, 0, 2*n)
	full := false
	for _, x := range all {
		if full && order(x, first[n-1]) > 0 {
			continue
		}
		if first = append(first, x); len(first) == 2*n {
			slices.SortFunc(first, order)
			first, full = first[:n], true
		}
	}
	slices.SortFunc(first, order)
	return first[:min(len(first), n)]
}

// processes lists the processes.
func (a *Account) processes(l *Line, living []numbered, now stretch) {
	all := map[int32]*Process{}
	of := func(pid int32) *Process {
		p := all[pid]
		if p == nil {
			p = &Process{PID: pid, Name: a.names[pid]}
			if pid == 0 {
				p.Name = "(others)"
			} else if p.Name == "" {
				p.Name = "process"
			}
			all[pid] = p
		}
		return p
	}
	for pid, s := range a.ended {
		p := of(pid)
		p.Ended += s.threads
		p.EnergyNJ += int64(s.energy)
		p.CPUNS += int64(s.cpu)
	}
	for _, x := range living {
		p := of(x.pid)
		p.Threads++
		p.EnergyNJ += int64(x.energy)
		p.CPUNS += int64(x.cpu)
	}
	maps.DeleteFunc(a.names, func(pid int32, _ string) bool { return all[pid] == nil })
	before := a.before
	a.before = make(map[int32]since, len(all))
	list := make([]*Process, 0, len(all))
	for pid, p := range all {
		p.Watts = max(now.power(units.Energy(p.EnergyNJ), before[pid]), 0)
		a.before[pid] = before[pid].next(units.Energy(p.EnergyNJ))
		l.TargetNJ += p.EnergyNJ
		list = append(list, p)
	}
	for _, p := range foremost(list, mostProcesses, func(x, y *Process) int {
		return cmp.Or(cmp.Compare(y.EnergyNJ, x.EnergyNJ), cmp.Compare(x.PID, y.PID))
	}) {
		l.Processes = append(l.Processes, *p)
	}
	l.MoreProcesses = len(list) - len(l.Processes)
}

// fill fills in the methods with the most energy.
func (a *Account) fill(l *Line) {
	order := make([]int, 0, len(a.methods))
	for i := range a.methods {
		if a.methods[i].energy > 0 || a.methods[i].samples > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(a.methods[y].energy, a.methods[x].energy), cmp.Compare(x, y))
	})
	l.MoreMethods = max(len(order)-mostMethods, 0)
	of := []*part{&a.ends, &a.rest}
	for _, x := range a.threads {
		if x.part != nil {
			of = append(of, x.part)
		}
	}
	// Sums of floats depend on their order.
	slices.SortFunc(of, func(x, y *part) int {
		return cmp.Or(cmp.Compare(x.all, y.all), cmp.Compare(x.squares, y.squares))
	})
	parts := make([]energy.Part, len(of))
	for k, p := range of {
		parts[k].All, parts[k].Squares = float64(p.all), p.squares
	}
	for _, i := range order[:len(order)-l.MoreMethods] {
		m := &a.methods[i]
		x := Method{Unit: m.name, EnergyNJ: int64(m.energy), CPUNS: int64(m.cpu),
			Samples: m.samples}
		x.Share, x.Low, x.High = a.interval(i, parts, of)
		l.Methods = append(l.Methods, x)
	}
}
