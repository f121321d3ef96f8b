package jvm

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/features"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/tracing"
)

// Errors of open and Attach.
var (
	// ErrNotSupported says that the kernel lacks what counting needs.
	ErrNotSupported = errors.New("this kernel cannot count a JVM's events (Linux 6.6)")
	// errPermission says that ebb may not load BPF programs.
	errPermission = errors.New("counting a JVM's events needs root, or CAP_BPF and CAP_PERFMON")
	// errNoEvents says that a file reports none of the events that are counted.
	errNoEvents = errors.New("it has none of the probes that are counted")
	// errMany says that too many JVMs run at a time.
	errMany = errors.New("too many JVMs")
	// errNoProcess says that the process has ended.
	errNoProcess = errors.New("no such process")

	refusals = tracing.Refusals{Permission: errPermission, NotSupported: ErrNotSupported}
)

func refused(doing string, err error) error { return refusals.Of(doing, err, unix.EOPNOTSUPP) }

// maxLinks bounds the files and processes that are attached to: each adds to a breakpoint's cost.
const maxLinks = 64

// programs holds the BPF programs that are loaded into the kernel. They are for one goroutine, Read
// for another one.
type programs struct {
	events    []string
	objects   eventsObjects
	entries   []entry
	unnoticed uint64
	links     []attached
	most      int // bound of links
	closers   tracing.Closers
}

// open loads the programs, for events of these names. Followed is the map whose storage marks the
// target's threads, as a tracer has it; with nil the target is what Launch starts. Nothing is
// counted before Attach.
func open(followed *ebpf.Map, events []string) (_ *programs, err error) {
	// An older kernel's own error for the programs would not name what is missing.
	if err := Supported(); err != nil {
		return nil, fmt.Errorf("place breakpoints: %w", err)
	}
	spec, err := loadEvents()
	if err != nil {
		return nil, err
	}
	spec.Maps["counts"].MaxEntries = uint32(max(len(events), 1))
	options := &ebpf.CollectionOptions{}
	if followed != nil {
		options.MapReplacements = map[string]*ebpf.Map{"threads": followed}
	}
	p := &programs{events: events, most: maxLinks}
	if err := spec.LoadAndAssign(&p.objects, options); err != nil {
		return nil, refused("load the programs that count a JVM's events", err)
	}
	p.closers = append(p.closers, p.objects.Close)
	hooks := []*ebpf.Program{p.objects.OnExec}
	if followed == nil {
		hooks = append(hooks, p.objects.OnFork)
	}
	for _, hook := range hooks {
		l, err := link.AttachTracing(link.TracingOptions{Program: hook})
		if err != nil {
			return nil, errors.Join(refused("notice the processes of a program", err), p.Close())
		}
		p.closers = append(p.closers, l.Close)
	}
	return p, nil
}

// Supported reports ErrNotSupported where the kernel cannot attach to many places at once. The
// attempt would fail there as for a place that is wrong.
func Supported() error {
	if errors.Is(features.HaveBPFLinkUprobeMulti(), ebpf.ErrNotSupported) {
		return ErrNotSupported
	}
	return nil
}

// Launch makes the process that start creates the target, with what it starts. Start must create
// the process on the goroutine that calls it. Launch returns its error.
func (p *programs) Launch(start func() error) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Before a program's first process the os package starts a trial process, to learn what the
	// kernel can do.
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Release()
	}
	if answer, err := p.objects.Seed.Run(&ebpf.RunOptions{}); err != nil || answer != 0 {
		return errors.Join(errors.New("follow the program to be started"), err)
	}
	defer func() {
		if _, e := p.objects.Unseed.Run(&ebpf.RunOptions{}); e != nil {
			err = errors.Join(err, fmt.Errorf("stop to follow what ebb starts: %w", e))
		}
	}()
	return start()
}

// Events returns the names of the events that are counted.
func (p *programs) Events() []string { return p.events }

// Read reads the counts of all events.
func (p *programs) Read() (reading, error) {
	r := reading{Counts: make([]Count, len(p.events))}
	for i := range p.events {
		key := uint32(i)
		if err := p.objects.Counts.Lookup(&key, &p.entries); err != nil {
			return reading{}, fmt.Errorf("read the counts of a JVM's events: %w", err)
		}
		r.At = monotonic.Now()
		r.Counts[i] = summed(p.entries, r.At)
	}
	return r, nil
}

// started returns the processes of the target that began a program since the last call, and may
// have a JVM. The kernel holds 256 of them; lost counts those beyond.
func (p *programs) started() (pids []int, lost int) {
	var pid, one uint32
	for more := p.objects.Started.Iterate(); more.Next(&pid, &one); {
		pids = append(pids, int(pid))
	}
	for _, done := range pids {
		_ = p.objects.Started.Delete(uint32(done)) // nobody else deletes it
	}
	var all uint64
	if p.objects.Unnoticed.Get(&all) == nil {
		lost = int(all - p.unnoticed)
		p.unnoticed = all
	}
	return pids, lost
}

// Close unloads the programs. Detaching takes the kernel some 25 to 50 ms.
func (p *programs) Close() error { return errors.Join(p.detach(), p.closers.Close()) }
