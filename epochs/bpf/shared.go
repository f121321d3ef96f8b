package bpf

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// objects holds the programs and maps in the kernel.
type objects struct {
	epochsObjects
	Bss *ebpf.Map `ebpf:".bss"` // the programs' global variables
}

func (o *objects) close() error {
	err := o.epochsObjects.Close()
	if o.Bss != nil {
		if e := o.Bss.Close(); err == nil {
			err = e
		}
	}
	return err
}

// shared holds pointers to the programs' global variables, which are mapped: reading one needs no
// system call.
type shared struct {
	memory    []byte
	bells     *uint64
	heard     *uint64 // written here, as stall is
	stall     *uint64
	drops     *[drops]uint64
	moves     *uint64
	signalled *uint32 // written here, as walks is
	walks     *uint64
	users     *[MaxTenants + 1]uint64 // written here

	// mu guards exits: a run that is stopped may close while another goroutine still waits for the
	// target's end.
	mu    sync.Mutex
	exits *[MaxTenants + 1]uint64 // nil once the variables are unmapped

	displaced, traced, timers *uint64

	restUntil  *uint64 // written here
	restWithin *[rates]Span
}

func mapShared(spec *ebpf.CollectionSpec, bss *ebpf.Map) (*shared, error) {
	memory, err := unix.Mmap(bss.FD(), 0, int(bss.ValueSize()),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map the BPF programs' variables: %w", err)
	}
	number := func(name string) *uint64 {
		return (*uint64)(unsafe.Pointer(&memory[spec.Variables[name].Offset]))
	}
	return &shared{
		memory:    memory,
		bells:     number("bells"),
		heard:     number("heard"),
		stall:     number("stall_ns"),
		drops:     (*[drops]uint64)(unsafe.Pointer(number("drops"))),
		moves:     number("moves"),
		signalled: (*uint32)(unsafe.Pointer(number("moves_told"))),
		walks:     number("walks"),
		users:     (*[MaxTenants + 1]uint64)(unsafe.Pointer(number("users"))),
		exits:     (*[MaxTenants + 1]uint64)(unsafe.Pointer(number("exiting"))),

		displaced: number("displaced_ns"), traced: number("traced_ns"),
		timers: number("timer_runs"),

		restUntil:  number("rest_until"),
		restWithin: (*[rates]Span)(unsafe.Pointer(number("rest_within"))),
	}, nil
}

func (s *shared) bellCount() uint64 { return atomic.LoadUint64(s.bells) }

// hear notes for the programs how many bells the reader has heard.
func (s *shared) hear(count uint64) { atomic.StoreUint64(s.heard, count) }

// watchReader makes the programs watch whether the reader hears bells within limit; 0 ends it.
func (s *shared) watchReader(limit time.Duration) { atomic.StoreUint64(s.stall, uint64(limit)) }

func (s *shared) moveCount() uint64 { return atomic.LoadUint64(s.moves) }

// takeMoves returns the number of moves. The next move rings again.
func (s *shared) takeMoves() uint64 {
	atomic.StoreUint32(s.signalled, 0)
	return s.moveCount()
}

// walking notes the begin of a walk that finds out whose threads are; the returned function notes
// its end. Meanwhile the programs ring for every move.
func (s *shared) walking() (over func()) {
	atomic.AddUint64(s.walks, 1)
	return func() { atomic.AddUint64(s.walks, ^uint64(0)) }
}

// belongs sets whose processes a tenant's tree may have: a user's number plus 1, or 0 for
// anybody's.
func (s *shared) belongs(tenant uint16, to uint64) { atomic.StoreUint64(&s.users[tenant], to) }

// exiting returns the number of a tenant's threads that have announced their end and not yet
// switched for the last time; 0 after close.
func (s *shared) exiting(tenant uint16) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.exits == nil || tenant > MaxTenants {
		return 0
	}
	return atomic.LoadUint64(&s.exits[tenant])
}

// exitingAny reports whether a thread of any tenant is exiting.
func (s *shared) exitingAny() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := 0; s.exits != nil && i < len(s.exits); i++ {
		if atomic.LoadUint64(&s.exits[i]) > 0 {
			return true
		}
	}
	return false
}

func (s *shared) dropCount(how int) uint64 { return atomic.LoadUint64(&s.drops[how]) }

func (s *shared) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exits = nil
	return unix.Munmap(s.memory)
}
