package stacks

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/linux/tracing"
	"github.com/ebb-energy/ebb/units"
)

// Bounds of the sampling rate, in Hz of a CPU's time. The upper one is what the kernel's own limit
// on the time spent in such interrupts allows on ordinary machines.
const (
	MinRate     = 1
	MaxRate     = 10_000
	DefaultRate = 99 // not 100, to stay out of step with what programs do each 10 ms
)

// maxFrames bounds the frames that the kernel walks of each part, the program's and its own.
const maxFrames = 127

// stackDepth bounds a stack's copy, in bytes. Of the stacks of xalan, batik and jython, 4 to 5 %
// are deeper than 8 KiB, 1 to 4 % deeper than 16 KiB, and less than 1 % deeper than this. A copy
// ends where the stack does.
const stackDepth = 24 << 10

// Sample is one look at a thread.
type Sample struct {
	At     units.Instant
	Thread epochs.TID
	PID    int
	CPU    sysfs.CPU
	// User and Kernel are return addresses by frame pointers, the innermost first. They are valid
	// until the next sample.
	User, Kernel []uint64
	// Registers are the program's own, or, in a system call, those with which the program entered
	// it. All are zero where they could not be read, or where it does not run 64-bit code.
	Registers Registers
	// Stack is a copy of memory from RedZone below the stack pointer on. It is valid until the next
	// sample.
	Stack []byte
	// Unreadable says that the kernel could not walk the program's part.
	Unreadable bool
	// Maps is another number than before where the process may have mapped or unmapped code since.
	// 0: it has no mappings any more.
	Maps uint16
	// Mounted is the number of the Java thread that it runs as where that is known (Carry): Itself,
	// or that of a virtual thread. The program can write any number there.
	Mounted uint64
	// Truncated says that there were more frames than the kernel walks.
	Truncated bool
	Period    time.Duration // the thread's CPU time that it represents
}

// RedZone is the size in bytes of the area below the stack pointer that functions may use (System V
// ABI of AMD64, section 3.2.2).
const RedZone = 128

// Registers holds the general registers and the instruction pointer, in DWARF's order (System V ABI
// of AMD64, figure 3.36).
type Registers [17]uint64

// StackPointer returns rsp.
func (r *Registers) StackPointer() uint64 { return r[7] }

// Sampler holds the program in the kernel and its events. Only one goroutine may use it.
type Sampler struct {
	objects  sampleObjects
	ring     *tracing.Ring
	period   time.Duration
	before   time.Duration // period of samples that were taken before changed
	changed  units.Instant
	sample   Sample
	frames   [2 * maxFrames]uint64
	closers  tracing.Closers
	events   []int             // file descriptors of the events
	carried  map[int][]Carrier // by process
	carrying int               // carriers of all processes
	carriers uint32            // changes of them
}

// CheckRate returns an error for a sampling rate out of range.
func CheckRate(rate int) error {
	if rate < MinRate || rate > MaxRate {
		return fmt.Errorf("a sampling rate of %d Hz is not between %d and %d", rate, MinRate,
			MaxRate)
	}
	return nil
}

// Open loads the program, which samples the threads that have an entry in followed. Nothing is
// sampled before AttachCPUs or AttachCgroup. Types caches the kernel's types that have been read;
// nil: none have been.
func Open(followed *ebpf.Map, types *btf.Cache, rate int) (*Sampler, error) {
	return open(followed, types, rate, stackDepth)
}

// OpenShallow does what Open does, but takes neither frames nor stacks: its samples are for their
// registers.
func OpenShallow(followed *ebpf.Map, types *btf.Cache, rate int) (*Sampler, error) {
	return open(followed, types, rate, 0)
}

func open(followed *ebpf.Map, types *btf.Cache, rate, depth int) (_ *Sampler, err error) {
	if err := CheckRate(rate); err != nil {
		return nil, err
	}
	s := &Sampler{period: time.Second / time.Duration(rate), carried: map[int][]Carrier{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	spec, err := loadSample()
	if err != nil {
		return nil, fmt.Errorf("read the built-in stack sampler: %w", err)
	}
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return nil, fmt.Errorf("count the CPUs: %w", err)
	}
	size := ringSize(rate, cpus, depth)
	spec.Maps["samples"].MaxEntries = uint32(size)
	if err := errors.Join(spec.Variables["depth"].Set(uint32(depth)),
		spec.Variables["half_full"].Set(uint32(size/2))); err != nil {
		return nil, fmt.Errorf("prepare the stack sampler: %w", err)
	}
	options := &ebpf.CollectionOptions{Cache: types,
		MapReplacements: map[string]*ebpf.Map{"threads": followed}}
	if err := spec.LoadAndAssign(&s.objects, options); err != nil {
		return nil, fmt.Errorf("load the stack sampler: %w", err)
	}
	s.closers = append(s.closers, s.objects.Close)
	if s.ring, err = tracing.MapRing(s.objects.Samples.FD(), size); err != nil {
		return nil, fmt.Errorf("read the stack sampler's ring: %w", err)
	}
	s.closers = append(s.closers, s.ring.Close)
	return s, nil
}

// ringSize returns the size of the ring in bytes, a power of two. It holds an eighth of a second of
// the deepest stacks of all CPUs, within 256 KiB and 4 MiB. It is read at each quantum's end, and a
// larger one would only take memory and caches. When it is half full stacks are no longer copied,
// so that the rest has room for some seconds more.
func ringSize(rate, cpus, depth int) int {
	const least, most = 256 << 10, 4 << 20
	size := rate * cpus * (header + 8*2*maxFrames + depth) / 8
	return min(max(1<<bits.Len(uint(size)), least), most)
}

// Drain calls take with each sample that there is, in the order they were taken on each CPU, until
// take returns false. It makes no system call.
func (s *Sampler) Drain(take func(*Sample) bool) error {
	for end, more := s.ring.End(), true; more; s.ring.Advance() {
		record, _ := s.ring.Peek(end) // an unfinished one waits for the next call
		if record == nil {
			return nil
		}
		if s.decode(record) {
			more = take(&s.sample)
		}
	}
	return nil
}

// header is a record's size without frames and stack: its fields, and the kernel's struct pt_regs.
const header = registersAt + 21*8

// registersAt is where struct pt_regs is in a record.
const registersAt = 40

// decode reads a record of sample.bpf.c into s.sample. It returns false for a record that is cut;
// the program writes none.
func (s *Sampler) decode(b []byte) bool {
	if len(b) < header {
		return false
	}
	le := binary.LittleEndian
	kernel, user := int(int16(le.Uint16(b[20:]))), int(int16(le.Uint16(b[22:])))
	stack := le.Uint64(b[24:])
	s.sample = Sample{
		At: units.Instant(le.Uint64(b)), Thread: epochs.TID(le.Uint32(b[8:])),
		PID: int(le.Uint32(b[12:])), CPU: sysfs.CPU(le.Uint16(b[16:])), Maps: le.Uint16(b[18:]),
		Mounted:    le.Uint64(b[32:]),
		Unreadable: user <= 0, Truncated: max(kernel, user) >= 8*maxFrames, Period: s.period,
	}
	if s.sample.At < s.changed {
		s.sample.Period = s.before
	}
	kernel, user = max(kernel, 0)/8, max(user, 0)/8
	frames := header + 8*(kernel+user)
	if kernel > maxFrames || user > maxFrames || len(b) < frames || stack > uint64(len(b)-frames) {
		return false
	}
	for i := range kernel + user {
		s.frames[i] = le.Uint64(b[header+8*i:])
	}
	s.sample.Kernel, s.sample.User = s.frames[:kernel], s.frames[kernel:kernel+user]
	register := func(place int) uint64 { return le.Uint64(b[registersAt+8*place:]) }
	cs := register(17)
	if kernel > 0 && register(16)|register(19) == 0 &&
		(cs != 0 || user == 1 && s.sample.User[0] == 0) {
		// a thread that the kernel made for the process, such as io_uring's, runs no code of its
		s.sample.User, s.sample.Unreadable = nil, false
	} else if cs == userCode {
		for i, place := range ptRegs {
			s.sample.Registers[i] = register(place)
		}
		s.sample.Stack = b[frames : frames+int(stack)]
	}
	return true
}

// ptRegs has the place of each of Registers in struct pt_regs (asm/ptrace.h): rax, rdx, rcx, rbx,
// rsi, rdi, rbp, rsp, r8 to r15, rip.
var ptRegs = [len(Registers{})]int{10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16}

// userCode is the code segment of 64-bit programs (__USER_CS in asm/segment.h).
const userCode = 0x33

// Shallow returns the number of samples whose stack was not copied because the ring was half full.
func (s *Sampler) Shallow() (n uint64, err error) {
	err = s.objects.Shallow.Get(&n)
	return n, err
}

// Counts returns the numbers of samples that were taken, and that were lost because the ring was
// full.
func (s *Sampler) Counts() (taken, lost uint64, err error) {
	err = errors.Join(s.objects.Taken.Get(&taken), s.objects.Lost.Get(&lost))
	return taken, lost, err
}

// Cost returns the time that sampling has taken from the program: that of the sampler's own
// program, and an interrupt for each sample.
func (s *Sampler) Cost(interrupt time.Duration) (time.Duration, error) {
	var taken, spent uint64
	err := errors.Join(s.objects.Taken.Get(&taken), s.objects.Spent.Get(&spent))
	return time.Duration(spent) + time.Duration(taken)*interrupt, err
}

// Close ends the sampling. A second Close does nothing.
func (s *Sampler) Close() error { return s.closers.Close() }
