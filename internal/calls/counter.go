package calls

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/features"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/tracing"
)

// Errors of Open and Attach.
var (
	// ErrNotSupported says that the kernel lacks what counting needs.
	ErrNotSupported = errors.New("this kernel cannot count calls")
	// ErrPermission says that ebb may not load BPF programs.
	ErrPermission = errors.New("counting calls needs root, or CAP_BPF and CAP_PERFMON")
	// errRefused says that the kernel puts no breakpoint there.
	errRefused = errors.New("the kernel refuses a breakpoint there")

	refusals = tracing.Refusals{Permission: ErrPermission, NotSupported: ErrNotSupported}
)

// MaxFunctions bounds the functions that are counted.
const MaxFunctions = 64

// Probe is the beginning of a function, as an offset in its file that is not 0. Function is its
// number.
type Probe struct {
	Offset   uint64
	Function int
}

// Count is the number of a function's calls by the target, and by other programs, which the
// breakpoint stops as well. The layout is struct count in calls.bpf.c.
type Count struct{ Calls, Others uint64 }

// Counter counts the calls of functions. It is for one goroutine.
type Counter struct {
	objects   callsObjects
	functions int
	entries   []Count
	single    bool // the kernel takes breakpoints one by one (before Linux 6.6)
	closers   tracing.Closers
}

// Open loads the program, for so many functions. Followed is the map whose storage marks the
// target's threads, as a tracer has it; with nil no thread is the target's. Nothing is counted
// before Attach.
func Open(followed *ebpf.Map, functions int) (*Counter, error) {
	single := errors.Is(features.HaveBPFLinkUprobeMulti(), ebpf.ErrNotSupported)
	return open(followed, functions, single)
}

func open(followed *ebpf.Map, functions int, single bool) (*Counter, error) {
	spec, err := loadCalls()
	if err != nil {
		return nil, err
	}
	if single {
		spec.Programs["on_call"].AttachType = ebpf.AttachNone
	}
	spec.Maps["counts"].MaxEntries = uint32(max(functions, 1) + own)
	c := &Counter{functions: functions, single: single}
	options := &ebpf.CollectionOptions{}
	if followed != nil {
		options.MapReplacements = map[string]*ebpf.Map{"threads": followed}
	}
	if err := spec.LoadAndAssign(&c.objects, options); err != nil {
		return nil, refusals.Of("load the program that counts calls", err)
	}
	c.closers = append(c.closers, c.objects.Close)
	return c, nil
}

// Attach begins to count at these places of a file, in whichever process runs it. The file stays
// the caller's, who can close it afterwards.
//
// The errors are errRefused, ErrNotSupported, ErrPermission and those of safefile.CheckRegular.
func (c *Counter) Attach(file *os.File, places []Probe) error {
	for _, p := range places {
		if p.Offset == 0 || p.Function < 0 || p.Function >= c.functions {
			return fmt.Errorf("count calls in %s: %w: offset %d of function %d", file.Name(),
				errRefused, p.Offset, p.Function)
		}
	}
	if err := c.probe(file, places); err != nil {
		return fmt.Errorf("count calls in %s: %w", file.Name(), err)
	}
	return nil
}

// probe puts breakpoints at places.
func (c *Counter) probe(file *os.File, places []Probe) error {
	executable, err := tracing.Executable(file)
	if err != nil {
		return err
	}
	defer runtime.KeepAlive(file)
	var all link.UprobeMultiOptions
	for _, p := range places {
		all.Addresses = append(all.Addresses, p.Offset)
		all.Cookies = append(all.Cookies, uint64(p.Function))
	}
	if !c.single {
		l, err := executable.UprobeMulti(nil, c.objects.OnCall, &all)
		return c.attached(l, err)
	}
	for _, p := range places {
		l, err := executable.Uprobe("", c.objects.OnCall,
			&link.UprobeOptions{Address: p.Offset, Cookie: uint64(p.Function)})
		if err := c.attached(l, err); err != nil {
			return err
		}
	}
	return nil
}

// attached keeps a link that was made, until Close.
func (c *Counter) attached(l link.Link, err error) error {
	switch {
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EIO):
		return fmt.Errorf("%w: %w", errRefused, err)
	case err != nil:
		return refusals.Of("place breakpoints", err)
	}
	c.closers = append(c.closers, l.Close)
	return nil
}

// Read returns the counts of all functions so far.
func (c *Counter) Read() ([]Count, error) {
	out := make([]Count, c.functions)
	for i := range out {
		key := uint32(i)
		if err := c.objects.Counts.Lookup(&key, &c.entries); err != nil {
			return nil, fmt.Errorf("read the counts of calls: %w", err)
		}
		for _, e := range c.entries {
			out[i].Calls += e.Calls
			out[i].Others += e.Others
		}
	}
	return out, nil
}

// Close removes all breakpoints. That takes the kernel some 25 to 50 ms.
func (c *Counter) Close() error { return c.closers.Close() }
