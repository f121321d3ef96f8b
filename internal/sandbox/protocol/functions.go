package protocol

import (
	"encoding/binary"

	"github.com/ebb-energy/ebb/internal/instrumented"
)

// recordBytes is the size of a record in a packet.
const recordBytes = 2 + 8 + 4 + 4 + 8*6 + 4 + 1 + 8*instrumented.Counters

// MaxRecords is the number of records that fit into a packet.
const MaxRecords = (MaxPacket - 64) / recordBytes

// Records holds records of invocations, the number of those that were lost since the packet before,
// and whether there are more.
type Records struct {
	Lost uint64
	More bool
	List []instrumented.Record
}

// Flags of a record.
const (
	recursive = 1 << iota
	counted
)

// Encode makes the packet.
func (r *Records) Encode() []byte {
	le := binary.LittleEndian
	b := le.AppendUint64([]byte{byte(KindRecords)}, r.Lost)
	b = append(b, flag(r.More, 1))
	b = le.AppendUint16(b, uint16(len(r.List)))
	for i := range r.List {
		x := &r.List[i]
		b = le.AppendUint16(b, x.Segment)
		b = le.AppendUint64(b, x.Number)
		b = le.AppendUint32(le.AppendUint32(b, x.PID), x.TID)
		for _, n := range []uint64{x.Function, x.Call, x.Stands, x.Begin, x.End, x.CPU} {
			b = le.AppendUint64(b, n)
		}
		b = le.AppendUint32(b, x.Switches)
		b = append(b, flag(x.Recursive, recursive)|flag(x.Counted, counted))
		for _, n := range x.Counts {
			b = le.AppendUint64(b, n)
		}
	}
	return b
}

func flag(is bool, bit byte) byte {
	if is {
		return bit
	}
	return 0
}

// DecodeRecords decodes a packet of Records.Encode.
func DecodeRecords(packet []byte) (r Records, err error) {
	c := open(packet, KindRecords)
	r.Lost, r.More = c.u64(), c.u8() == 1
	for range c.count(recordBytes) {
		var x instrumented.Record
		x.Segment, x.Number, x.PID, x.TID = c.u16(), c.u64(), c.u32(), c.u32()
		for _, n := range []*uint64{&x.Function, &x.Call, &x.Stands, &x.Begin, &x.End, &x.CPU} {
			*n = c.u64()
		}
		x.Switches = c.u32()
		flags := c.u8()
		x.Recursive, x.Counted = flags&recursive != 0, flags&counted != 0
		for i := range x.Counts {
			x.Counts[i] = c.u64()
		}
		if x.Segment >= instrumented.Segments {
			c.bad = true
		}
		r.List = append(r.List, x)
	}
	return r, c.end("records")
}

// callsBytes is the size of a count in a packet.
const callsBytes = 4 + 3*8

// MaxCalls is the number of counts that fit into a packet.
const MaxCalls = (MaxPacket - 128) / callsBytes

// AskCalls asks for counts from a place on.
func AskCalls(seq uint64, from uint32) []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindCalls)}, seq)
	return binary.LittleEndian.AppendUint32(b, from)
}

// DecodeAskCalls decodes a packet of AskCalls.
func DecodeAskCalls(packet []byte) (seq uint64, from uint32, err error) {
	c := open(packet, KindCalls)
	seq, from = c.u64(), c.u32()
	return seq, from, c.end("question for calls")
}

// Called holds counts of calls, the place to go on from, and the totals of the program.
type Called struct {
	Seq    uint64
	Next   uint32
	Totals instrumented.Totals
	List   []instrumented.Calls
}

// Encode makes the packet.
func (c *Called) Encode() []byte {
	le := binary.LittleEndian
	b := le.AppendUint64([]byte{byte(KindCalled)}, c.Seq)
	b = le.AppendUint32(b, c.Next)
	t := &c.Totals
	for _, n := range []uint64{t.Threads, t.Refused, t.Uncounted, t.Dropped, t.Abandoned, t.Open,
		t.NoCounter} {
		b = le.AppendUint64(b, n)
	}
	b = le.AppendUint16(b, uint16(len(c.List)))
	for i := range c.List {
		x := &c.List[i]
		b = le.AppendUint32(b, x.PID)
		for _, n := range []uint64{x.Born, x.Function, x.Calls} {
			b = le.AppendUint64(b, n)
		}
	}
	return b
}

// DecodeCalled decodes a packet of Called.Encode.
func DecodeCalled(packet []byte) (r Called, err error) {
	c := open(packet, KindCalled)
	r.Seq, r.Next = c.u64(), c.u32()
	t := &r.Totals
	for _, n := range []*uint64{&t.Threads, &t.Refused, &t.Uncounted, &t.Dropped, &t.Abandoned,
		&t.Open, &t.NoCounter} {
		*n = c.u64()
	}
	for range c.count(callsBytes) {
		r.List = append(r.List, instrumented.Calls{PID: c.u32(), Born: c.u64(), Function: c.u64(),
			Calls: c.u64()})
	}
	return r, c.end("calls")
}

// Saw encodes that an image is a process, and that it has run code at some addresses.
func Saw(image Image, pid uint32, addrs []uint64) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{byte(KindSaw)}, uint32(image))
	return appendWords(binary.LittleEndian.AppendUint32(b, pid), addrs)
}

// MaxSaw is the number of addresses in a packet of Saw, at most.
const MaxSaw = 1024

// DecodeSaw decodes a packet of Saw.
func DecodeSaw(packet []byte) (image Image, pid uint32, addrs []uint64, err error) {
	c := open(packet, KindSaw)
	image, pid, addrs = Image(c.u32()), c.u32(), c.words(nil)
	return image, pid, addrs, c.end("addresses seen")
}

// Hooked asks for the instrumented functions in the files that images have mapped, from a number
// on.
func Hooked(seq uint64, from uint32, images []Image) []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindHooked)}, seq)
	b = binary.LittleEndian.AppendUint32(b, from)
	images = images[:min(len(images), MaxHooked)]
	b = binary.LittleEndian.AppendUint16(b, uint16(len(images)))
	for _, n := range images {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return b
}

// MaxHooked is the number of images in a packet of Hooked, at most.
const MaxHooked = 4096

// DecodeHooked decodes a packet of Hooked.
func DecodeHooked(packet []byte) (seq uint64, from uint32, images []Image, err error) {
	c := open(packet, KindHooked)
	seq, from = c.u64(), c.u32()
	for range c.count(4) {
		images = append(images, Image(c.u32()))
	}
	return seq, from, images, c.end("images")
}

// Instrumented holds as many instrumented functions as fit, and the number to go on from; 0: there
// are no more.
type Instrumented struct {
	Seq  uint64
	Next uint32
	List []Frame
}

// Encode makes the packet.
func (i *Instrumented) Encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte{byte(KindInstrumented)}, i.Seq)
	return appendFrames(binary.LittleEndian.AppendUint32(b, i.Next), i.List)
}

// DecodeInstrumented decodes a packet of Instrumented.Encode.
func DecodeInstrumented(packet []byte) (r Instrumented, err error) {
	c := open(packet, KindInstrumented)
	r.Seq, r.Next = c.u64(), c.u32()
	r.List = c.frames()
	return r, c.end("instrumented functions")
}
