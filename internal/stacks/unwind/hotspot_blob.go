package unwind

import "encoding/binary"

// blobKind is the way in which the frames of a blob's code are walked.
type blobKind uint8

const (
	unknown blobKind = iota
	sized            // the frame has a size
	linked           // stubs, walked by frame pointer
	leaf             // no frame: the return address is where the stack pointer points
	interpreter
)

// blob is a piece of machine code with what is needed to walk its frames.
type blob struct {
	kind     blobKind
	begin    uint64 // start of its code
	complete uint64 // address from which on its frame is complete; 0 where unknown
	frame    uint64 // bytes, with the return address
	mark     uint64 // 0 where it is unknown what the code is
	debug    debug  // debug information of a method's code; its id is 0 where it has none
}

// find returns the blob that an address lies in; its kind is unknown where there is none.
func (h *HotSpot) find(addr uint64) blob {
	for i := range h.heaps {
		if in := &h.heaps[i]; addr >= in.low && addr < in.high {
			segment := addr - (addr-in.low)&(1<<in.shift-1)
			b, ok := h.kept[segment]
			if !ok {
				if block, ok := h.block(in, addr); ok {
					b = h.blob(block+h.layout.block, addr)
				}
				h.kept[segment] = b
			}
			return b
		}
	}
	return blob{}
}

// block returns the address of the block, in a part of the code cache, that an address lies in.
func (h *HotSpot) block(in *heap, addr uint64) (uint64, bool) {
	segment := (addr - in.low) >> in.shift
	var part [mapPart]byte // part of the segment map, from first on
	first, have := uint64(0), false
	for range maxHops {
		if !have || segment < first {
			first, have = segment-min(segment, mapPart-1), true
			if !h.read(part[:segment-first+1], in.segments+first) {
				return 0, false
			}
		}
		back := uint64(part[segment-first])
		if back == 0xff || back > segment {
			return 0, false
		}
		if back == 0 {
			return in.low + segment<<in.shift, true
		}
		segment -= back
	}
	return 0, false
}

// mapPart is the number of bytes of a segment map that are read at once. Most blocks begin in the
// part that is read first.
const mapPart = 512

// header holds what is read of a blob.
type header struct {
	at, size uint64
	begin    uint64 // start of its code
	complete uint64 // as in blob
	frame    uint64 // words
	name     uint64 // address of its name
	method   uint64 // address of the method whose code it is
	raw      [maxHeader]byte
}

// maxHeader bounds what is read of a blob, in bytes. A compiled method's has 352 in JDK 17.
const maxHeader = 384

// header reads the blob at an address. It returns false if addr does not lie in it.
func (h *HotSpot) header(at, addr uint64) (head header, ok bool) {
	l := &h.layout
	if head.at = at; !h.read(head.raw[:], at) {
		return head, false
	}
	head.begin, head.name = uint64(head.field(&l.begin)), uint64(head.field(&l.name))
	if !l.begin.known {
		head.begin = at + uint64(head.field(&l.offset))
	}
	size, frame, complete := head.field(&l.size), head.field(&l.frame), head.field(&l.frameComplete)
	if size <= 0 || size > maxBlob || addr >= at+uint64(size) || head.begin < at ||
		head.begin > at+uint64(size) || frame < 0 || frame > maxFrame/8 {
		return head, false
	}
	head.size, head.frame = uint64(size), uint64(frame)
	if complete > 0 && complete < size {
		head.complete = head.begin + uint64(complete)
	}
	if l.method.known {
		head.method = uint64(head.field(&l.method))
	}
	return head, true
}

func (h *HotSpot) blob(at, addr uint64) blob {
	head, ok := h.header(at, addr)
	if !ok {
		return blob{}
	}
	b := blob{begin: head.begin, complete: head.complete, frame: 8 * head.frame}
	n := h.named(head.name)
	if b.kind, b.mark = n.kind, n.mark; n.method {
		b.mark = h.method(head.method, false)
		if d, ok := h.layout.debugOf(&head); ok && b.mark != 0 && h.version != 0 {
			b.debug = d
		}
	}
	if b.kind == linked && head.frame >= 2 {
		b.kind = sized
	}
	return b
}

// field returns the value of a blob's field, or -1 where the field lies behind what is read.
func (h *header) field(f *field) int64 {
	if f.offset > maxHeader-8 {
		return -1
	}
	b := h.raw[f.offset:]
	switch f.size {
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

// species holds what a blob's name says of the blob.
type species struct {
	kind   blobKind
	method bool // the blob is a method's code
	mark   uint64
}

// named returns what the name at an address says. The kind is linked where the name does not decide
// how the code is walked.
func (h *HotSpot) named(at uint64) species {
	n, ok := h.names[at]
	if ok {
		return n
	}
	name := h.text(at)
	switch name {
	case "":
		return species{}
	case "Interpreter":
		n.kind = interpreter
	case "vtable chunks", "I2C/C2I adapters":
		n.kind = leaf
	default:
		n.kind, n.method = linked, name == "nmethod" || name == "native nmethod"
	}
	n.mark = h.mark(JavaCode{Name: name})
	if len(h.names) < maxKept {
		h.names[at] = n
	}
	return n
}
