package bpf

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Thread is the account of a thread of the target.
type Thread struct {
	TID, TGID epochs.TID
	// InnerTID is its id in its own PID namespace, by which programs there know it. 0: that
	// namespace is the machine's first one, or the kernel does not say it (before Linux 6.5).
	InnerTID epochs.TID
	Tenant   uint16 // tenant that has or had it; 0: there is only one target
	Comm     string // name, of at most 15 bytes
	// Started is the time of its creation, or of the attachment. Ended is the time of its end; 0:
	// it lives.
	Started, Ended units.Instant
	// KernelRun and KernelSwitches are the scheduler's own account since Started: its run time, and
	// the number of times it left a CPU, voluntarily or not. As in getrusage, the switch that ends
	// a thread does not count.
	KernelRun      time.Duration
	KernelSwitches uint64
	// Run, Switches and FutexSleeps are the tracer's account, without the time outside the windows
	// of a hold-off. Run is the sum of the slices that Next reports, by the clock. On a virtual
	// machine it includes the time in which the hypervisor ran another guest, which KernelRun does
	// not. The open slice of a living thread is not in Run.
	Run         time.Duration
	Switches    uint64
	FutexSleeps uint64
	// Created is the time of its creation in the kernel. Two entries with one id and one
	// Created belong to one thread.
	Created units.Instant
}

// plus adds a later stay with its tenant to a thread's account.
func (t Thread) plus(later Thread) Thread {
	t.Comm, t.Ended = later.Comm, later.Ended
	t.KernelRun += later.KernelRun
	t.KernelSwitches += later.KernelSwitches
	t.Run += later.Run
	t.Switches += later.Switches
	t.FutexSleeps += later.FutexSleeps
	return t
}

// maxFinished bounds the ended threads that are reported separately.
const maxFinished = 16384

// finished holds the threads that have ended.
type finished struct {
	forget  bool // no thread is kept
	threads []Thread
	rest    map[uint16]*others // by tenant
	// newest has up to maxNewest threads that ended last, by id, and before has as many that ended
	// before these.
	newest, before map[epochs.TID]named
}

// others holds the sum of a tenant's threads beyond maxFinished.
type others struct {
	sum   Thread
	count int
}

// named holds a thread's process and name.
type named struct {
	tgid epochs.TID
	comm string
}

const maxNewest = 4096

func (f *finished) add(t Thread) {
	if f.forget {
		return
	}
	if len(f.newest) >= maxNewest || f.newest == nil {
		f.newest, f.before = map[epochs.TID]named{}, f.newest
	}
	f.newest[t.TID] = named{t.TGID, t.Comm}
	if len(f.threads) < maxFinished {
		f.threads = append(f.threads, t)
		return
	}
	rest := f.rest[t.Tenant]
	if rest == nil {
		if f.rest == nil {
			f.rest = map[uint16]*others{}
		}
		rest = &others{sum: Thread{TID: epochs.NoThread, TGID: epochs.NoThread, Tenant: t.Tenant,
			Started: t.Started}}
		f.rest[t.Tenant] = rest
	}
	rest.count++
	rest.sum.Started = min(rest.sum.Started, t.Started)
	t.Ended = max(rest.sum.Ended, t.Ended)
	t.Comm = fmt.Sprintf("(%d others)", rest.count)
	rest.sum = rest.sum.plus(t)
}

// Ended returns the process and the name of a thread that ended a moment ago; 0 and "" where they
// are not known. The tracer remembers some thousands.
func (t *Tracer) Ended(tid epochs.TID) (tgid epochs.TID, comm string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok := t.finished.newest[tid]
	if !ok {
		n = t.finished.before[tid]
	}
	return n.tgid, n.comm
}

// Threads returns all threads that the target had, by the time they started. Those that have ended
// are included once Next has delivered their last events, or after Over. Beyond 16384 ended stays,
// the rest of each tenant is summed up in one thread with id NoThread. A thread that several
// tenants had is included once for each.
func (t *Tracer) Threads() ([]Thread, error) {
	stays, err := t.Stays()
	return joined(stays), err
}

// joined merges the stays of each thread with each tenant. Stays are in the order of time.
func joined(stays []Thread) []Thread {
	type identity struct {
		tid     epochs.TID
		created units.Instant
		tenant  uint16
	}
	at := map[identity]int{}
	var all []Thread
	for _, s := range stays {
		id := identity{s.TID, s.Created, s.Tenant}
		if i, ok := at[id]; ok {
			all[i] = all[i].plus(s)
			continue
		}
		at[id] = len(all)
		all = append(all, s)
	}
	return all
}

// Stays returns what Threads does, but a thread that left its tenant's cgroup and came back is
// included once for each stay.
func (t *Tracer) Stays() ([]Thread, error) {
	all, rest := t.ended()
	living, err := t.living()
	if err != nil {
		return nil, fmt.Errorf("list the living threads: %w", err)
	}
	if t.over {
		if err := t.late(); err != nil {
			return nil, fmt.Errorf("take the totals of the last threads: %w", err)
		}
		all, rest = t.ended()
		living = t.finished.without(living)
	}
	all = append(append(all, rest...), living...)
	slices.SortStableFunc(all, func(a, b Thread) int {
		return cmp.Or(cmp.Compare(a.Started, b.Started), cmp.Compare(a.TID, b.TID),
			cmp.Compare(a.Tenant, b.Tenant))
	})
	return all, nil
}

// ended returns the threads that have ended, and the sums of those beyond maxFinished.
func (t *Tracer) ended() (all, rest []Thread) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, of := range t.finished.rest {
		rest = append(rest, of.sum)
	}
	return slices.Clone(t.finished.threads), rest
}

// living returns the threads that have not ended.
func (t *Tracer) living() (all []Thread, err error) {
	iter, err := t.dump.Open()
	if err != nil {
		return nil, err
	}
	defer iter.Close()
	lines, err := io.ReadAll(iter)
	if err != nil {
		return nil, err
	}
	for len(lines) > 0 {
		th, err := decodeTotals(lines)
		if err != nil {
			return nil, err
		}
		all = append(all, th)
		lines = lines[headSize+totalsSize:]
	}
	return all, nil
}
