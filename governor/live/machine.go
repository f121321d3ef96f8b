// Package live is this host as a governor.Machine: the kernel's scheduler records, one program, the
// CPUs' clocks.
package live

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// Machine is this host with one target on it. Its methods belong to one goroutine, but for Stop.
type Machine struct {
	tracer   *bpf.Tracer
	actuator cpufreq.Actuator
	target   target
	base     units.Frequency // what the machine runs at when the target starts
	sched    []epochs.Event
	pending  []governor.Event // outcomes to be handed out
	ctx      context.Context  // that stops the machine when it is done; the one of the last Next
	// when it was last looked whether others have changed the frequency
	checked     units.Instant
	begun       bool
	ending      atomic.Int64 // when the target was asked to end; 0 before
	endingTold  bool
	last        bool // the reading at hand is the one after the end
	done        bool
	memory      func() (reads, writes uint64, ok bool) // nil where memory's traffic is not counted
	memoryEvery time.Duration
	memoryRead  units.Instant
	// nil where there is none
	meter func(units.Instant) (pkg, cores, dram units.Energy, ok bool)
}

// NewMachine takes a tracer that has no target yet. Base is the frequency the machine runs at.
func NewMachine(tracer *bpf.Tracer, actuator cpufreq.Actuator, base units.Frequency) *Machine {
	return &Machine{tracer: tracer, actuator: actuator, base: base}
}

// Meter has the machine's energy meters read at each tick: what all packages, their cores (0 where
// they have no meter of their own) and all memory have used so far, and whether that is known. Call
// it before Next.
func (m *Machine) Meter(read func(at units.Instant) (pkg, cores, dram units.Energy, ok bool)) {
	m.meter = read
}

// Memory has the memory controllers' counters read at a tick, when the last reading is as old as
// every: how many lines the machine has read and written so far, and whether that is known. They
// are read once more at the end. Call it before Next.
func (m *Machine) Memory(every time.Duration, read func() (reads, writes uint64, ok bool)) {
	m.memory, m.memoryEvery = read, every
}

// Launch starts the command, traced from its first instruction. ErrNoCommand when there is no such
// command.
func (m *Machine) Launch(argv []string) error {
	path, err := LookUp(argv[0])
	if err != nil {
		return err
	}
	if err := m.tracer.Launch(func() (int,
		error) {
		return m.target.start(path, argv)
	}); err != nil {
		return err
	}
	go m.target.wait(m.tracer)
	return nil
}

// Attach takes a running process with all its threads and descendants.
func (m *Machine) Attach(pid int) error {
	m.target.pid = pid
	m.pending = append(m.pending,
		governor.Event{Kind: governor.Begin, At: monotonic.Now(), Frequency: m.base})
	if err := m.tracer.Attach(pid); err != nil {
		return err
	}
	m.begun = true
	go m.target.wait(m.tracer)
	return nil
}

// AttachCgroup takes the processes of the tracer's cgroup (bpf.Config), those that are in it and
// those that come. Wait returns when none is left.
func (m *Machine) AttachCgroup(wait func() error) error {
	m.target.group = wait
	m.pending = append(m.pending,
		governor.Event{Kind: governor.Begin, At: monotonic.Now(), Frequency: m.base})
	if err := m.tracer.FollowCgroup(); err != nil {
		return err
	}
	m.begun = true
	go m.target.wait(m.tracer)
	return nil
}

// Launched says whether the target is a command that this machine started.
func (m *Machine) Launched() bool { return m.target.launched != nil }

// Base is the frequency that the target is taken to have started at.
func (m *Machine) Base() units.Frequency { return m.base }

// PID is the target's process id; 0 of a cgroup, which has many.
func (m *Machine) PID() int { return m.target.pid }

// Signal sends a signal to the launched command. It does nothing when the target was attached or
// has ended.
func (m *Machine) Signal(s os.Signal) {
	if m.target.launched != nil && !m.target.ended.Load() {
		_ = m.target.launched.Signal(s) // it may end at this very moment
	}
}

// Ending notes that the target was asked to end: it does the rest at the highest frequency. It may
// be called from any goroutine.
func (m *Machine) Ending() {
	if m.ending.CompareAndSwap(0, int64(monotonic.Now())) {
		m.tracer.Wake()
	}
}

// Stop ends the run; the target lives on. It may be called from any goroutine.
func (m *Machine) Stop() {
	m.target.end(monotonic.Now())
	m.tracer.Wake()
}

// Wake has Next return with what there is, a tick at least. It may be called from any goroutine.
func (m *Machine) Wake() { m.tracer.Wake() }

// StopAfter stops the run after d.
func (m *Machine) StopAfter(d time.Duration) { time.AfterFunc(d, m.Stop) }

// ExitState is how a launched command ended; nil when it was attached or has not ended.
func (m *Machine) ExitState() *os.ProcessState { return m.target.status.Load() }

// Threads are the totals of every thread the target had.
func (m *Machine) Threads() ([]bpf.Thread, error) { return m.tracer.Threads() }

// Stays are the same, apart for each time that a thread was in the target's cgroup.
func (m *Machine) Stays() ([]bpf.Thread, error) { return m.tracer.Stays() }

// kept is how many events may come besides the scheduler's.
const kept = 5

// Next implements governor.Machine.
func (m *Machine) Next(ctx context.Context, buf []governor.Event) (int, error) {
	if m.done {
		return 0, io.EOF
	}
	if ctx != m.ctx {
		m.ctx = ctx
		context.AfterFunc(ctx, m.Stop) // to stop a machine that has stopped does nothing
	}
	for {
		if n := m.outcomes(buf); n > 0 {
			return n, nil
		}
		// Places are kept for Begin with its On, or for what the meters show at the last tick, what
		// memory moved, Ending and End.
		if want := len(buf) - kept; cap(m.sched) < want {
			m.sched = make([]epochs.Event, want)
		}
		// Before a reading begins, so that it has all that came before the end.
		m.last = m.last || m.tracer.Fresh() && m.target.ended.Load()
		if m.last {
			m.tracer.Wake() // the target rings no more
		}
		n, err := m.tracer.Next(m.sched[:len(buf)-kept])
		if err == nil && m.target.group != nil {
			err = m.tracer.Settle()
		}
		if err != nil {
			return 0, err
		}
		k := m.convert(buf, m.sched[:n])
		if n > 0 && m.sched[n-1].Kind == epochs.Tick {
			k += m.asked(buf[k:], m.sched[n-1].At)
		}
		if m.last && n > 0 && m.sched[n-1].Kind == epochs.Tick {
			if err := m.target.groupErr.Load(); err != nil {
				return 0, *err
			}
			k += m.end(buf[k:])
		}
		if k > 0 {
			return k, nil
		}
	}
}

func (m *Machine) outcomes(buf []governor.Event) int {
	n := copy(buf, m.pending)
	m.pending = append(m.pending[:0], m.pending[n:]...)
	return n
}

// convert wraps scheduler events. What a launched command's process did before its exec was still
// ebb's own program.
func (m *Machine) convert(buf []governor.Event, sched []epochs.Event) int {
	k := 0
	for i := range sched {
		ev := &sched[i]
		if !m.begun {
			if ev.Kind != epochs.Exec || int(ev.Thread) != m.target.pid {
				continue
			}
			m.begun = true
			buf[0] = governor.Event{Kind: governor.Begin, At: ev.At, Frequency: m.base}
			on := epochs.Event{Kind: epochs.On, Cause: epochs.Started, At: ev.At, Thread: ev.Thread,
				By: epochs.NoThread, CPU: ev.CPU}
			buf[1] = governor.Event{Kind: governor.Sched, Sched: on}
			k = 2
			continue
		}
		if ev.Kind == epochs.Tick && m.meter != nil {
			if pkg, cores, dram, ok := m.meter(monotonic.Now()); ok {
				buf[k] = governor.Event{Kind: governor.Metered, At: ev.At, Package: pkg,
					Cores: cores, DRAM: dram}
				k++
			}
		}
		if ev.Kind == epochs.Tick && ev.At.Sub(m.memoryRead) >= m.memoryEvery {
			k += m.traffic(buf[k:], ev.At)
		}
		buf[k] = governor.Event{Kind: governor.Sched, Sched: *ev}
		k++
	}
	return k
}

// asked hands out that the target was asked to end, once, behind a tick at the given time.
func (m *Machine) asked(buf []governor.Event, tick units.Instant) int {
	at := units.Instant(m.ending.Load())
	if at == 0 || m.endingTold || !m.begun {
		return 0
	}
	m.endingTold = true
	buf[0] = governor.Event{Kind: governor.Ending, At: max(at, tick)}
	return 1
}

// traffic reads what memory has moved.
func (m *Machine) traffic(buf []governor.Event, at units.Instant) int {
	if m.memory == nil {
		return 0
	}
	m.memoryRead = at
	reads, writes, ok := m.memory()
	if !ok {
		return 0
	}
	buf[0] = governor.Event{Kind: governor.Traffic, At: at, Reads: reads, Writes: writes}
	return 1
}

func (m *Machine) end(buf []governor.Event) int {
	m.done = true
	if !m.begun {
		return 0
	}
	at := units.Instant(m.target.endedAt.Load())
	k := m.traffic(buf, at)
	buf[k] = governor.Event{Kind: governor.End, At: at}
	return k + 1
}
