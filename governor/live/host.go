// Package live implements governor.Machine on this host: with the kernel's scheduler records, the
// CPUs' clocks, and one program (Host) or several (Several, for package many).
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
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/shelter"
	"github.com/ebb-energy/ebb/units"
)

// Host is this computer with one target, as the governor sees it. Only one goroutine may call its
// methods, except Stop, Wake and Ending.
type Host struct {
	Computer
	target     target
	ctx        context.Context // context of the last Next; its end stops the machine
	begun      bool
	ending     atomic.Int64 // time at which the target was asked to end; 0 before
	endingSent bool
	last       bool // the reading at hand is the one after the end
	done       bool
	memory     memory
	quantum    time.Duration // quantum of rests; 0: the kernel's programs keep no silence
}

// NewHost returns a machine whose tracer has no target yet. Base is the frequency at which the
// machine runs.
func NewHost(tracer *bpf.Tracer, actuator cpufreq.Actuator, base units.Frequency) *Host {
	return &Host{Computer: Computer{tracer: tracer, actuator: actuator, base: base}}
}

// Launch starts the command, traced from its first instruction. It waits until the command has
// begun or the context ends, since the command's user may hold up its start. It fails with
// ErrNoCommand if the command cannot be found or executed.
func (h *Host) Launch(ctx context.Context, argv []string) error {
	path, err := LookUp(argv[0])
	if err != nil {
		return err
	}
	start := func() (int, error) {
		h.memory.start()
		return h.target.start(path, argv)
	}
	launch := func() error { return h.tracer.Launch(start) }
	if shelter.LauncherNeeded() {
		launch = func() error { return h.tracer.LaunchThrough(start) }
	}
	if err := h.target.identity.Within(launch); err != nil {
		return err
	}
	if err := h.target.begun(ctx); err != nil {
		return err
	}
	if shelter.LauncherNeeded() {
		h.memory.start() // memory traffic of the launcher is not the program's
	}
	go h.target.wait(h.tracer)
	return nil
}

// Attach follows a running process with all its threads and descendants.
func (h *Host) Attach(pid int) error {
	h.target.pid = pid
	h.target.follow(ofProcess(pid))
	h.attached()
	if err := h.tracer.Attach(pid); err != nil {
		return err
	}
	go h.target.wait(h.tracer)
	return nil
}

// AttachCgroup follows the processes of the tracer's cgroup (bpf.Config), present and future. Wait
// returns when none is left, and clock returns their CPU time.
func (h *Host) AttachCgroup(wait func() error, clock Clock) error {
	h.target.group = wait
	h.target.follow(clock)
	h.attached()
	if err := h.tracer.FollowCgroup(); err != nil {
		return err
	}
	go h.target.wait(h.tracer)
	return nil
}

// attached emits the Begin of a target that runs already.
func (h *Host) attached() {
	var buf [2]governor.Event
	h.memory.start()
	h.pending = append(h.pending, buf[:h.begin(buf[:], monotonic.Now())]...)
}

// begin emits the target's Begin.
func (h *Host) begin(buf []governor.Event, at units.Instant) int {
	h.begun = true
	h.ticked = max(h.ticked, at)
	buf[0] = governor.Event{Kind: governor.Begin, At: at, Frequency: h.base}
	return 1 + h.memory.begin(buf[1:], at)
}

// Launched reports whether the target is a command that this machine started.
func (h *Host) Launched() bool { return h.target.launched != nil }

// PID returns the target's process id in ebb's own PID namespace; 0 for a cgroup, which has many.
func (h *Host) PID() int { return h.target.pid }

// ID returns the target's process id in the machine's first PID namespace, by which threads are
// known. It is valid once there is a target.
func (h *Host) ID() epochs.TID { return h.tracer.FirstID(h.target.pid) }

// Over reports whether the target's time is over.
func (h *Host) Over() bool { return h.target.ended.Load() }

// Signal sends a signal to the launched command. It does nothing if the target was attached or has
// ended.
func (h *Host) Signal(s os.Signal) {
	if h.target.launched != nil && !h.target.ended.Load() {
		_ = h.target.launched.Signal(s) // the command may just have ended
	}
}

// Ending notes that the target was asked to end: from then on it runs at the highest frequency. Any
// goroutine may call it.
func (h *Host) Ending() {
	if h.ending.CompareAndSwap(0, int64(monotonic.Now())) {
		h.tracer.Wake()
	}
}

// Stop ends the run; the target lives on. Any goroutine may call it.
func (h *Host) Stop() {
	h.target.end(monotonic.Now())
	h.tracer.Wake()
}

// StopAfter stops the run after d.
func (h *Host) StopAfter(d time.Duration) { time.AfterFunc(d, h.Stop) }

// ExitState returns the state in which a launched command ended; nil if the target was attached or
// has not ended.
func (h *Host) ExitState() *os.ProcessState { return h.target.status.Load() }

// kept is the number of events that Next may add to the scheduler's.
const kept = 9

// Next implements governor.Machine.
func (h *Host) Next(ctx context.Context, buf []governor.Event) (int, error) {
	if h.done {
		return 0, io.EOF
	}
	if ctx != h.ctx {
		h.ctx = ctx
		context.AfterFunc(ctx, h.Stop) // a second Stop does nothing
	}
	for {
		if n := h.outcomes(buf); n > 0 {
			return n, nil
		}
		// Room is kept for all of them, as where a program begins and ends within one reading:
		// Begin with the memory's traffic and its On; the meters' readings, ebb's own cost and the
		// memory's traffic at a tick; Ending; and the memory's traffic with End.
		if want := len(buf) - kept; cap(h.sched) < want {
			h.sched = make([]epochs.Event, want)
		}
		// The end is checked before a reading begins, so that the reading has all records before
		// the end.
		h.last = h.last || h.tracer.Fresh() && h.target.ended.Load()
		if h.last {
			h.tracer.Wake() // the target rings no bell after its end
		}
		n, err := h.tracer.Next(h.sched[:len(buf)-kept])
		if err == nil && h.target.group != nil {
			err = h.tracer.TakeMoves()
		}
		if err != nil {
			return 0, err
		}
		h.bound(h.sched[:n])
		k := h.convert(buf, h.sched[:n])
		if n > 0 && h.sched[n-1].Kind == epochs.Tick {
			k += h.asked(buf[k:], h.sched[n-1].At)
		}
		if h.last && n > 0 && h.sched[n-1].Kind == epochs.Tick {
			if err := h.target.groupErr.Load(); err != nil {
				return 0, *err
			}
			h.tracer.Over()
			if k += h.end(buf[k:]); k == 0 {
				return 0, h.target.noStart()
			}
		}
		if k > 0 {
			return k, nil
		}
	}
}

// wrap makes a scheduler's event of out, in place, because there are many. It clears an event of
// another kind.
func wrap(out *governor.Event, ev *epochs.Event) {
	if out.Kind != governor.Sched {
		*out = governor.Event{Kind: governor.Sched}
	}
	out.Sched = *ev
}

// convert wraps scheduler events. Before its exec, a launched command's process still runs ebb's
// own program.
func (h *Host) convert(buf []governor.Event, sched []epochs.Event) int {
	k := 0
	for i := range sched {
		ev := &sched[i]
		if !h.begun {
			if ev.Kind != epochs.Exec || h.tracer.OwnID(ev.Thread) != h.target.pid {
				continue
			}
			k = h.begin(buf, ev.At)
			on := epochs.Event{Kind: epochs.On, Cause: epochs.Started, At: ev.At, Thread: ev.Thread,
				By: epochs.NoThread, CPU: ev.CPU}
			buf[k] = governor.Event{Kind: governor.Sched, Sched: on}
			k++
			continue
		}
		if ev.Kind == epochs.Tick {
			k += h.metered(buf[k:], ev.At)
		}
		if ev.Kind == epochs.Tick && h.own != nil {
			displaced, traced := h.own()
			buf[k] = governor.Event{Kind: governor.Overhead, At: ev.At, Displaced: displaced,
				Traced: traced}
			k++
		}
		if ev.Kind == epochs.Tick && ev.At.Sub(h.memory.at) >= h.memory.every {
			k += h.memory.traffic(buf[k:], ev.At)
		}
		wrap(&buf[k], ev)
		k++
	}
	return k
}
