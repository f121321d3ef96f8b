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
func (m *HotSpot) find(addr uint64) blob {
	for i := range m.heaps {
		if h := &m.heaps[i]; addr >= h.low && addr < h.high {
			segment := addr - (addr-h.low)&(1<<h.shift-1)
			b, ok := m.kept[segment]
			if !ok {
				if block, ok := m.block(h, addr); ok {
					b = m.blob(block+m.layout.block, addr)
				}
				m.kept[segment] = b
			}
			return b
		}
	}
	return blob{}
}

// block returns the address of the block, in a part of the code cache, that an address lies in.
func (m *HotSpot) block(h *heap, addr uint64) (uint64, bool) {
	segment := (addr - h.low) >> h.shift
	var part [mapPart]byte // part of the segment map, from first on
	first, have := uint64(0), false
	for range maxHops {
		if !have || segment < first {
			first, have = segment-min(segment, mapPart-1), true
			if !m.read(part[:segment-first+1], h.segments+first) {
				return 0, false
			}
		}
		back := uint64(part[segment-first])
		if back == 0xff || back > segment {
			return 0, false
		}
		if back == 0 {
			return h.low + segment<<h.shift, true
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
func (m *HotSpot) header(at, addr uint64) (h header, ok bool) {
	l := &m.layout
	if h.at = at; !m.read(h.raw[:], at) {
		return h, false
	}
	h.begin, h.name = uint64(h.field(&l.begin)), uint64(h.field(&l.name))
	if !l.begin.known {
		h.begin = at + uint64(h.field(&l.offset))
	}
	size, frame, complete := h.field(&l.size), h.field(&l.frame), h.field(&l.frameComplete)
	if size <= 0 || size > maxBlob || addr >= at+uint64(size) || h.begin < at ||
		h.begin > at+uint64(size) || frame < 0 || frame > maxFrame/8 {
		return h, false
	}
	h.size, h.frame = uint64(size), uint64(frame)
	if complete > 0 && complete < size {
		h.complete = h.begin + uint64(complete)
	}
	if l.method.known {
		h.method = uint64(h.field(&l.method))
	}
	return h, true
}

func (m *HotSpot) blob(at, addr uint64) blob {
	h, ok := m.header(at, addr)
	if !ok {
		return blob{}
	}
	b := blob{begin: h.begin, complete: h.complete, frame: 8 * h.frame}
	n := m.named(h.name)
	if b.kind, b.mark = n.kind, n.mark; n.method {
		b.mark = m.method(h.method, false)
		if d, ok := m.layout.debugOf(&h); ok && b.mark != 0 && m.version != 0 {
			b.debug = d
		}
	}
	if b.kind == linked && h.frame >= 2 {
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
func (m *HotSpot) named(at uint64) species {
	n, ok := m.names[at]
	if ok {
		return n
	}
	name := m.text(at)
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
	n.mark = m.mark(JavaCode{Name: name})
	if len(m.names) < maxKept {
		m.names[at] = n
	}
	return n
}
