package network

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/tracing"
)

// errNotSupported says that the kernel lacks what counting needs.
var errNotSupported = errors.New("this kernel cannot count network bytes for ebb (Linux 6.3)")

// Bytes counts the bytes that were sent and received: through a card, and on the machine itself.
type Bytes struct {
	Sent, Received         uint64
	LoopSent, LoopReceived uint64
}

// Plus returns the sum of b and o.
func (b Bytes) Plus(o Bytes) Bytes {
	return Bytes{b.Sent + o.Sent, b.Received + o.Received, b.LoopSent + o.LoopSent,
		b.LoopReceived + o.LoopReceived}
}

// Minus returns b without o, which must be a part of b.
func (b Bytes) Minus(o Bytes) Bytes {
	return Bytes{b.Sent - o.Sent, b.Received - o.Received, b.LoopSent - o.LoopSent,
		b.LoopReceived - o.LoopReceived}
}

// Card returns the number of bytes that a card has sent or received.
func (b Bytes) Card() uint64 { return b.Sent + b.Received }

// Count says what a thread has sent and received since counting began.
type Count struct {
	PID  int
	TID  int    // 0: all threads of the process for which the kernel's map has no room
	Comm string // the thread's name when it first sent or received, at most 15 bytes
	Bytes
}

// Counter holds the programs in the kernel. It is for one goroutine.
type Counter struct {
	counts, rest *ebpf.Map
	unbooked     *ebpf.Variable
	callers      *callers // nil: bytes are not counted by caller
	closers      tracing.Closers
}

// Supported returns errNotSupported where the kernel lacks the tracepoints. It loads nothing.
func Supported() error {
	types, err := btf.LoadKernelSpec()
	if err != nil {
		return fmt.Errorf("%w: %w", errNotSupported, err)
	}
	if _, err := types.AnyTypeByName("btf_trace_sock_send_length"); err != nil {
		return errNotSupported
	}
	return nil
}

// Open loads the programs. They count for the threads that have a storage in followed
// (bpf.Tracer.Followed) and for their processes, and with byCaller also by call stack. The error is
// errNotSupported when the kernel lacks what they need.
func Open(followed *ebpf.Map, byCaller bool) (*Counter, error) {
	spec, err := loadBytes()
	if err != nil {
		return nil, fmt.Errorf("read the built-in BPF program: %w", err)
	}
	return open(spec, followed, byCaller)
}

func open(spec *ebpf.CollectionSpec, followed *ebpf.Map, byCaller bool) (_ *Counter, err error) {
	c := &Counter{}
	if err := prepare(spec, byCaller); err != nil {
		return nil, fmt.Errorf("prepare the counter of network bytes: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	collection, err := ebpf.NewCollectionWithOptions(spec,
		ebpf.CollectionOptions{MapReplacements: map[string]*ebpf.Map{"threads": followed}})
	if err != nil {
		return nil, explain("load the counter of network bytes", err)
	}
	c.closers = append(c.closers, func() error { collection.Close(); return nil })
	c.counts, c.rest = collection.Maps["counts"], collection.Maps["rest"]
	c.unbooked = collection.Variables["untold"]
	if byCaller {
		if c.callers, err = openCallers(collection); err != nil {
			return nil, err
		}
		c.closers = append(c.closers, c.callers.ring.Close)
	}
	if err := putOwn(collection.Maps["own"]); err != nil {
		return nil, err
	}
	for name, p := range collection.Programs {
		l, err := link.AttachTracing(link.TracingOptions{Program: p})
		if err != nil {
			return nil, explain("attach "+name, err)
		}
		c.closers = append(c.closers, l.Close)
	}
	return c, nil
}

// explain adds to a refused load or attachment the kind of failure that it is.
func explain(doing string, err error) error {
	return tracing.Refusals{NotSupported: errNotSupported}.Of(doing, err)
}

// putOwn hands the machine's addresses to the programs. A program in a network namespace of its own
// has others.
func putOwn(own *ebpf.Map) error {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return fmt.Errorf("find the machine's own addresses: %w", err)
	}
	for _, a := range addresses {
		n, ok := a.(*net.IPNet)
		if !ok || n.IP.To16() == nil {
			continue
		}
		if err := own.Put([16]byte(n.IP.To16()), uint8(1)); err != nil &&
			!errors.Is(err, unix.E2BIG) {
			return fmt.Errorf("hand over the machine's own addresses: %w", err)
		}
	}
	return nil
}

// key and value are struct key and struct count of bytes.bpf.c.
type key struct{ PID, TID uint32 }

type value struct {
	Bytes [4]uint64
	Comm  [16]byte
}

// Read returns the counts so far, by process and thread, and the bytes that they lack because there
// were too many processes.
func (c *Counter) Read() (counts []Count, unbooked uint64, err error) {
	for _, m := range []*ebpf.Map{c.counts, c.rest} {
		var k key
		var v value
		all := m.Iterate()
		for all.Next(&k, &v) {
			comm, _, _ := strings.Cut(string(v.Comm[:]), "\x00")
			counts = append(counts, Count{int(k.PID), int(k.TID), comm,
				Bytes{v.Bytes[0], v.Bytes[1], v.Bytes[2], v.Bytes[3]}})
		}
		if err := all.Err(); err != nil {
			return nil, 0, fmt.Errorf("read the counts of network bytes: %w", err)
		}
	}
	if err := c.unbooked.Get(&unbooked); err != nil {
		return nil, 0, fmt.Errorf("read the counts of network bytes: %w", err)
	}
	slices.SortFunc(counts, func(a,
		b Count) int {
		return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.TID, b.TID))
	})
	// A key that is added while the map is walked may be met twice.
	counts = slices.CompactFunc(counts,
		func(a, b Count) bool { return a.PID == b.PID && a.TID == b.TID })
	return counts, unbooked, nil
}

// Close ends the counting. A second Close does nothing.
func (c *Counter) Close() error { return c.closers.Close() }
