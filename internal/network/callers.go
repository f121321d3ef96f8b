package network

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/cilium/ebpf"

	"github.com/ebb-energy/ebb/internal/linux/tracing"
	"github.com/ebb-energy/ebb/units"
)

// Caller is the call stack of a thread that sends or receives, when it is first seen to do so by
// that stack.
type Caller struct {
	At       units.Instant
	PID, TID int
	// Number is the stack's number among those of the process. CallerCount counts by it.
	Number uint64
	// Registers are the thread's as it entered the kernel, in DWARF's order (System V ABI of AMD64,
	// figure 3.36): the general ones and the instruction pointer. All are zero when it is
	// not 64-bit code.
	Registers [17]uint64
	// Frames are return addresses by frame pointers, the innermost first.
	Frames []uint64
	// Stack is memory from 128 bytes below the stack pointer on, as functions may use those bytes.
	// Frames and Stack are valid until the next caller.
	Stack []byte
}

// CallerCount says what a thread has sent and received by one call stack.
type CallerCount struct {
	PID, TID int
	Number   uint64
	Bytes
}

// callerRing is the room for the records of callers: in bytes, a power of two.
const callerRing = 1 << 20

// callers is the part of a counter that is there when bytes are counted by caller.
type callers struct {
	ring   *tracing.Ring
	counts *ebpf.Map
	unseen *ebpf.Variable
	caller Caller
	frames [maxFrames]uint64
}

func prepare(spec *ebpf.CollectionSpec, byCaller bool) error {
	spec.Maps["records"].MaxEntries = uint32(os.Getpagesize()) // the least there is
	if !byCaller {
		return nil
	}
	spec.Maps["records"].MaxEntries = callerRing
	return spec.Variables["by_caller"].Set(true)
}

func openCallers(c *ebpf.Collection) (*callers, error) {
	ring, err := tracing.MapRing(c.Maps["records"].FD(), callerRing)
	if err != nil {
		return nil, fmt.Errorf("read the callers that send and receive: %w", err)
	}
	return &callers{ring: ring, counts: c.Maps["callers"], unseen: c.Variables["unseen"]}, nil
}

// Callers hands over the callers that have been seen since the last call. It costs no system call.
func (c *Counter) Callers(take func(*Caller)) {
	if c.callers == nil {
		return
	}
	r := c.callers.ring
	for end := r.End(); ; r.Advance() {
		record, _ := r.Peek(end) // an unfinished record has time until the next call
		if record == nil {
			return
		}
		if c.callers.decode(record) {
			take(&c.callers.caller)
		}
	}
}

// The layout of struct caller_record.
const (
	maxFrames    = 127
	registersAt  = 32
	callerHeader = registersAt + 21*8
	userCode     = 0x33 // the code segment of 64-bit programs
)

// ptRegs holds for each of Registers its place in struct pt_regs (asm/ptrace.h): rax, rdx, rcx,
// rbx, rsi, rdi, rbp, rsp, r8 to r15, rip.
var ptRegs = [17]int{10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16}

// decode reads a record of caller.h. It skips a record that contradicts itself: the program writes
// none.
func (c *callers) decode(b []byte) bool {
	if len(b) < callerHeader {
		return false
	}
	le := binary.LittleEndian
	frames, stack := uint64(le.Uint32(b[24:])), uint64(le.Uint32(b[28:]))
	if frames > 8*maxFrames || frames%8 != 0 || uint64(len(b)) < callerHeader+frames+stack {
		return false
	}
	c.caller = Caller{At: units.Instant(le.Uint64(b)), Number: le.Uint64(b[8:]),
		PID: int(le.Uint32(b[16:])), TID: int(le.Uint32(b[20:]))}
	for i := range frames / 8 {
		c.frames[i] = le.Uint64(b[callerHeader+8*i:])
	}
	c.caller.Frames = c.frames[:frames/8]
	register := func(i int) uint64 { return le.Uint64(b[registersAt+8*i:]) }
	if register(17) == userCode {
		for i, place := range ptRegs {
			c.caller.Registers[i] = register(place)
		}
		c.caller.Stack = b[callerHeader+frames : callerHeader+frames+stack]
	}
	return true
}

// ReadCallers returns what has been counted so far by caller, and how often a caller had no place:
// what it moved is counted for its thread alone. If it is called before Read, no caller has more
// than its thread.
func (c *Counter) ReadCallers() (counts []CallerCount, unseen uint64, err error) {
	if c.callers == nil {
		return nil, 0, nil
	}
	type place struct {
		pid, tid uint32
		number   uint64
	}
	seen := map[place]bool{} // a key that is added while the map is walked may be met twice
	var k struct {
		PID, TID uint32
		Number   uint64
	}
	var v [4]uint64
	all := c.callers.counts.Iterate()
	for all.Next(&k, &v) {
		if p := (place{k.PID, k.TID, k.Number}); !seen[p] {
			seen[p] = true
			counts = append(counts, CallerCount{int(k.PID), int(k.TID), k.Number,
				Bytes{v[0], v[1], v[2], v[3]}})
		}
	}
	if err := errors.Join(all.Err(), c.callers.unseen.Get(&unseen)); err != nil {
		return nil, 0, fmt.Errorf("read the counts of callers: %w", err)
	}
	slices.SortFunc(counts, func(a, b CallerCount) int {
		return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.TID, b.TID),
			cmp.Compare(a.Number, b.Number))
	})
	return counts, unseen, nil
}
