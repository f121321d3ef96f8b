package bpf

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/linux/tracing"
)

// Answers of the program init_timers.
const (
	initNotRun  = 0
	initDone    = 1
	initRefused = 2
	initFlags   = 3 // the kernel does not know the flags of the timer
)

// Flags of bpf_timer_start, by the kernel that knows them first.
const (
	timerAbs    = 1 << 0 // the time is absolute (Linux 6.4)
	timerCPUPin = 1 << 1 // the timer stays on its CPU (Linux 6.7)
)

// Tracer holds the programs in the kernel and the reader of their records. Next, Launch, Attach and
// Threads may be called from different goroutines, each from one at a time; Wake from any. Close
// comes last.
type Tracer struct {
	objects objects
	cgroup  uint64        // number of the followed cgroup; see Config
	many    bool          // Config.Tenants is set
	taken   uint64        // number of moves that TakeMoves has handled
	owes    bool          // TakeMoves walks even if nothing was moved
	pace    pace          // pace of TakeMoves' walks
	walked  atomic.Uint64 // number of walks, also of calls that wait for no pace
	spaces  spaces
	timers  uint64 // flags with which timers are started
	shared  *shared
	bell    *bell
	ticker  *ticker // nil: the kernel has timers
	cpus    int     // number of possible CPUs; set with ticker
	ring    *tracing.Ring
	pass    pass
	over    bool // Over was called
	silence silence

	mu       sync.Mutex
	finished finished
	dump     *link.Iter

	// everywhere has the files whose collectors are followed in every process. Breakpoints of a
	// second link would repeat their events.
	everywhere []os.FileInfo

	closers tracing.Closers // functions that close all of the above, in the order of opening
}

// Open loads the programs. The tracer follows no thread yet.
func Open(c Config) (*Tracer, error) {
	c, n, err := c.complete()
	if err != nil {
		return nil, err
	}
	if c.Types == nil {
		c.Types = new(Types)
	}
	by, err := lookAtKernel(c.Types)
	if err != nil {
		return nil, fmt.Errorf("trace the scheduler: %w", err)
	}
	where, err := lookAtSpaces()
	if err != nil {
		return nil, err
	}
	// Without the pin, a timer that is armed on a CPU that goes idle may fire elsewhere, which
	// Drops counts. Without absolute times it is started with the time that is left, and fires
	// later by the time that arming takes.
	for _, flags := range []uint64{timerAbs | timerCPUPin, timerAbs, 0} {
		t, err := open(c, n, flags, where, by)
		if by.timers && refusesTimers(err) {
			by.timers = false
			t, err = open(c, n, 0, where, by)
		}
		switch {
		case errors.Is(err, errTimerFlags):
			continue
		case err != nil && !by.timers:
			return nil, fmt.Errorf("%w: %w", ErrNoTimers, err)
		}
		return t, err
	}
	return nil, fmt.Errorf("trace the scheduler: %w: %w", ErrNotSupported, errTimerFlags)
}

var errTimerFlags = errors.New("BPF timers do not start with any known flags")

// configured reads the programs and sets their sizes and constants.
func configured(
	c Config, counters int, timerFlags uint64, by ways,
) (*ebpf.CollectionSpec, error) {
	spec, err := loadEpochs()
	if err != nil {
		return nil, fmt.Errorf("read the built-in BPF programs: %w", err)
	}
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return nil, fmt.Errorf("count the CPUs: %w", err)
	}
	spec.Maps["cpus"].MaxEntries = uint32(cpus)
	spec.Maps["ring"].MaxEntries = uint32(c.RingBytes)
	spec.Maps["alarm"].MaxEntries = uint32(os.Getpagesize())
	spec.Maps["doorbell"].MaxEntries = uint32(os.Getpagesize())
	if !by.timers || !by.loop && cpus > maxLoop {
		c.Rests = false // nothing could check the program's work, or not on all CPUs
	}
	place := func(of int) uint32 {
		if of < 0 || of >= counters {
			return epochs.MaxCounters
		}
		return uint32(of)
	}
	flag := map[bool]uint32{true: 1}
	byCgroup := c.Cgroup != 0 || c.Tenants
	for name, value := range map[string]any{
		"rests":           flag[c.Rests],
		"instructions_at": place(c.Instructions),
		"requests_at":     place(c.Requests),
		"quantum_ns":      uint64(c.Quantum),
		"slice_ns":        uint64(c.Slice),
		"births_ns":       uint64(c.Births),
		"hold_off":        uint32(c.HoldOff),
		"counters":        uint32(counters),
		"ring_high":       uint64(c.RingBytes / ringHigh),
		"timer_flags":     timerFlags,
		"by_cgroup":       flag[byCgroup],
		"many":            flag[c.Tenants],
	} {
		if err := spec.Variables[name].Set(value); err != nil {
			return nil, fmt.Errorf("set %s of the BPF programs: %w", name, err)
		}
	}
	if err := by.configure(spec, cpus); err != nil {
		return nil, err
	}
	if c.Tenants {
		spec.Maps["tenants"].MaxEntries = MaxCgroups
		spec.Maps["foreigners"].MaxEntries = uint32(cpus)
	}
	if !byCgroup {
		// The programs are then not attached and do nothing. With this tracepoint also a kernel
		// without cgroups can load them.
		spec.Programs["on_move"].AttachTo = "sched_switch"
		spec.Programs["on_removal"].AttachTo = "sched_switch"
	}
	return spec, nil
}

func open(
	c Config, counters int, timerFlags uint64, where spaces, by ways,
) (_ *Tracer, err error) {
	spec, err := configured(c, counters, timerFlags, by)
	if err == nil {
		err = where.configure(spec)
	}
	if err != nil {
		return nil, err
	}
	t := &Tracer{cgroup: c.Cgroup, many: c.Tenants, timers: timerFlags, spaces: where}
	t.finished.forget = c.Forget
	if !by.timers {
		t.cpus = int(spec.Maps["cpus"].MaxEntries)
		t.ticker = &ticker{quantum: c.Quantum, on: t.tick}
	}
	defer func() {
		if err != nil {
			_ = t.Close() // the first error is the one to report
		}
	}()
	options := &ebpf.CollectionOptions{Cache: c.Types}
	if err := spec.LoadAndAssign(&t.objects, options); err != nil {
		return nil, loadError("load the BPF programs", err)
	}
	t.closers = append(t.closers, t.objects.close)
	if t.shared, err = mapShared(spec, t.objects.Bss); err != nil {
		return nil, err
	}
	t.closers = append(t.closers, t.shared.close)
	if t.ring, err = tracing.MapRing(t.objects.Ring.FD(), c.RingBytes); err != nil {
		return nil, err
	}
	t.closers = append(t.closers, t.ring.Close)
	if t.bell, err = newBell(t.objects.Doorbell.FD(), t.shared); err != nil {
		return nil, err
	}
	t.closers = append(t.closers, t.bell.close)
	if err := t.putCounters(c.Counters); err != nil {
		return nil, err
	}
	if err := t.initTimers(); err != nil {
		return nil, err
	}
	return t, t.attachHooks()
}

// Timers returns a sentence on what the kernel's timers lack; "" if they are the best there are.
func (t *Tracer) Timers() string {
	switch {
	case !t.Timed():
		return ErrNoTimers.Error() + ": ebb's own clock ends quanta, wakes ebb in each in which " +
			"the program runs, and does not show when ebb stalls"
	case t.timers&timerAbs == 0:
		return "timers are late by the time of arming them (before Linux 6.4), and may move to " +
			"another CPU"
	case t.timers&timerCPUPin == 0:
		return "timers may move to another CPU (before Linux 6.7)"
	}
	return ""
}

func (t *Tracer) putCounters(counters [][]int) error {
	o := &t.objects
	maps := [epochs.MaxCounters]*ebpf.Map{o.Counter0, o.Counter1, o.Counter2, o.Counter3,
		o.Counter4, o.Counter5}
	for cpu, fds := range counters {
		for i, fd := range fds {
			if err := maps[i].Put(uint32(cpu), uint32(fd)); err != nil {
				return fmt.Errorf("hand counter %d of CPU %d to the BPF programs: %w", i, cpu, err)
			}
		}
	}
	return nil
}

// timerTries bounds the attempts to get the timers' memory. Linux 6.18 and later allocate it
// without waiting for a lock (kmalloc_nolock), so that ENOMEM may mean that a lock is held at that
// moment.
const timerTries = 100

func (t *Tracer) initTimers() error {
	for try := 1; ; try++ {
		answer, errno, err := t.tryTimers()
		switch {
		case err != nil:
			return loadError("prepare the timers", err)
		case answer == initDone:
			return nil
		case answer == initFlags:
			return errTimerFlags
		case answer == initRefused && errno == unix.ENOMEM && try < timerTries:
			time.Sleep(time.Millisecond)
		case answer == initRefused && errno != 0:
			return fmt.Errorf("prepare the timers: %w", errno)
		default:
			return fmt.Errorf("prepare the timers: the kernel refused (answer %d)", answer)
		}
	}
}

// tryTimers makes the kernel prepare the timers that are not prepared yet. The program prepares one
// for each task that exists, so that a machine with more CPUs than tasks needs several walks.
func (t *Tracer) tryTimers() (answer uint32, errno syscall.Errno, err error) {
	iter, err := link.AttachIter(link.IterOptions{Program: t.objects.InitTimers})
	if err != nil {
		return 0, 0, err
	}
	defer iter.Close()
	if err := errors.Join(t.objects.InitCpu.Set(uint32(0)),
		t.objects.InitAnswer.Set(uint32(0))); err != nil {
		return 0, 0, err
	}
	var negative int32
	for answer == initNotRun {
		if err := errors.Join(walk(iter), t.objects.InitAnswer.Get(&answer),
			t.objects.InitError.Get(&negative)); err != nil {
			return 0, 0, err
		}
	}
	return answer, syscall.Errno(-negative), nil
}

// attachHooks attaches the programs. It begins with fork, so that no child of a followed thread is
// missed.
func (t *Tracer) attachHooks() error {
	type hook struct {
		name    string
		program *ebpf.Program
	}
	hooks := []hook{
		{"sched_process_fork", t.objects.OnFork},
		{"sched_process_exec", t.objects.OnExec},
		{"sched_process_exit", t.objects.OnExit},
		{"sched_waking", t.objects.OnWaking},
		{"sched_switch", t.objects.OnSwitch},
	}
	if t.cgroup != 0 || t.many {
		hooks = append(hooks, hook{"cgroup_attach_task", t.objects.OnMove},
			hook{"cgroup_rmdir", t.objects.OnRemoval})
	}
	for _, hook := range hooks {
		l, err := link.AttachTracing(link.TracingOptions{Program: hook.program})
		if err != nil {
			return loadError("attach to "+hook.name, err)
		}
		t.closers = append(t.closers, l.Close)
	}
	var err error
	if t.dump, err = link.AttachIter(link.IterOptions{Program: t.objects.Dump}); err != nil {
		return loadError("attach to the task iterator", err)
	}
	t.closers = append(t.closers, t.dump.Close)
	return nil
}

// Close unloads the programs. No other method may run meanwhile. A second Close does nothing.
func (t *Tracer) Close() error {
	if err := t.closers.Close(); err != nil {
		return fmt.Errorf("unload the BPF programs: %w", err)
	}
	return nil
}
