package protocol

import "encoding/binary"

// Image is a number that the governor gives one program in one process. Zero is none.
type Image uint32

// KernelImage stands for the kernel where addresses are named.
const KernelImage = ^Image(0)

// registers is the number of registers in a sample: the general ones and the instruction pointer,
// in DWARF's order (System V ABI of AMD64, figure 3.36).
const registers = 17

// maxFrames bounds the frames of a stack.
const maxFrames = 512

// Sample is a thread's stack as the kernel copied it.
type Sample struct {
	Seq       uint64 // the governor's number of the sample
	Image     Image
	PID       uint32
	At        uint64 // time of the sample, on CLOCK_MONOTONIC in ns
	Maps      uint16 // stacks.Sample.Maps
	Mounted   uint64 // stacks.Sample.Mounted
	Chained   bool   // there are no registers: Chain is all that is known
	Registers [registers]uint64
	Base      uint64   // address that Stack was read from
	Chain     []uint64 // return addresses by frame pointers, the innermost first
	Stack     []byte
}

// sampleSize is the least size of a sample in a packet, in bytes.
const sampleSize = 8 + 4 + 4 + 8 + 2 + 8 + 1 + 8*registers + 8 + 2 + 4

// Size returns the sample's length in a packet, in bytes.
func (s *Sample) Size() int { return sampleSize + 8*len(s.Chain) + len(s.Stack) }

// BeginSamples begins a packet of samples, to which AppendSample adds.
func BeginSamples(b []byte) []byte { return append(b, byte(KindSamples)) }

// AppendSample adds a sample to a packet.
func AppendSample(b []byte, s *Sample) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(b, s.Seq)
	b = le.AppendUint32(b, uint32(s.Image))
	b = le.AppendUint32(b, s.PID)
	b = le.AppendUint64(b, s.At)
	b = le.AppendUint16(b, s.Maps)
	b = le.AppendUint64(b, s.Mounted)
	flag := byte(0)
	if s.Chained {
		flag = 1
	}
	b = append(b, flag)
	for _, r := range s.Registers {
		b = le.AppendUint64(b, r)
	}
	b = le.AppendUint64(b, s.Base)
	b = appendWords(b, s.Chain)
	b = le.AppendUint32(b, uint32(len(s.Stack)))
	return append(b, s.Stack...)
}

// DecodeSamples calls take with each sample of a packet. The sample is valid until take returns.
func DecodeSamples(packet []byte, take func(*Sample)) error {
	c := open(packet, KindSamples)
	var s Sample
	for !c.bad && len(c.b) > 0 {
		s.Seq, s.Image, s.PID, s.At = c.u64(), Image(c.u32()), c.u32(), c.u64()
		s.Maps, s.Mounted, s.Chained = c.u16(), c.u64(), c.u8() == 1
		for i := range s.Registers {
			s.Registers[i] = c.u64()
		}
		s.Base = c.u64()
		s.Chain = c.words(s.Chain[:0])
		s.Stack = c.bytes(int(c.u32()))
		if !c.bad {
			take(&s)
		}
	}
	return c.end("samples")
}

// End says where a walk ended.
type End uint8

// The ends of walks. Whole: where the thread begins. Chained: where the chain of frame pointers
// ends, so that the outermost name decides whether that is all. Cut: before either.
const (
	Whole End = iota
	Chained
	Cut
)

// Stack is the result of a walk.
type Stack struct {
	Seq    uint64 // the sample's
	End    End
	Frames []uint64 // addresses and marks (Marked), the innermost first
}

const stackSize = 8 + 1 + 2

// StackSize returns the length of a stack of so many frames in a packet, in bytes.
func StackSize(frames int) int { return stackSize + 8*frames }

// BeginStacks begins a packet of stacks, to which AppendStack adds.
func BeginStacks(b []byte) []byte { return append(b, byte(KindStacks)) }

// AppendStack adds a stack to a packet.
func AppendStack(b []byte, s *Stack) []byte {
	b = binary.LittleEndian.AppendUint64(b, s.Seq)
	b = append(b, byte(s.End))
	return appendWords(b, s.Frames)
}

// DecodeStacks calls take with each stack of a packet. The stack is valid until take returns.
func DecodeStacks(packet []byte, take func(*Stack)) error {
	c := open(packet, KindStacks)
	var s Stack
	for !c.bad && len(c.b) > 0 {
		s.Seq, s.End = c.u64(), End(c.u8())
		s.Frames = c.words(s.Frames[:0])
		if c.bad = c.bad || s.End > Cut || len(s.Frames) > maxFrames; !c.bad {
			take(&s)
		}
	}
	return c.end("stacks")
}
