package unwind

// Bounds of what is read of the methods that were inlined into code.
const (
	maxInlined    = 128 // nested methods: the machine stops at 15 by default, of lambdas at 100
	maxPlaces     = 1 << 20
	maxMetadata   = 1 << 16
	maxDebug      = 64 << 20 // bytes of the debug information of a piece
	maxKeptScopes = 1 << 17  // marks
	firstZeroless = 20       // JDK version from which on no byte of the streams is zero
)

// debug holds where a compiled method keeps which methods were inlined into which of its code
// (code/nmethod.hpp, code/pcDesc.hpp). Nothing there changes as long as the code lives.
type debug struct {
	id               uint32 // id of the compilation; no other code of the machine has had it
	at               uint64 // address of the code
	places, behind   uint64 // bounds of the list of places, which is in order
	scopes, end      uint64
	metadata, method uint64
}

// kept holds the methods at an address.
type kept struct {
	of    debug
	marks []uint64 // innermost first; none where only the outermost is known
}

// debugOf returns where a compiled method's debug information is. Its places have moved in JDK 23
// and in JDK 25.
func (l *layout) debugOf(h *header) (d debug, ok bool) {
	get := func(f *field) uint64 {
		if f.size == 2 {
			return uint64(uint16(h.field(f)))
		}
		return uint64(h.field(f))
	}
	d = debug{id: uint32(get(&l.compileID)), at: h.at, method: h.method}
	switch {
	case !l.compileID.known || !l.placesOffset.known || !l.placeCode.known ||
		!l.placeScope.known || l.place < 8 || l.place > maxStride:
		return d, false
	case l.immutable.known && l.scopesOffset.known:
		size := get(&l.immutableSize)
		if !l.immutableSize.known || size > maxDebug {
			return d, false
		}
		base := get(&l.immutable)
		d.places, d.scopes = base+get(&l.placesOffset), base+get(&l.scopesOffset)
		d.behind, d.end = d.scopes, base+size
		switch {
		case l.mutable.known && l.relocationSize.known:
			d.metadata = get(&l.mutable) + get(&l.relocationSize)
		case l.dataOffset.known && l.metadataOffset.known:
			d.metadata = h.at + get(&l.dataOffset) + get(&l.metadataOffset)
		default:
			return d, false
		}
	case l.scopesBegin.known && l.dependencies.known && l.metadataOffset.known:
		d.places, d.behind = h.at+get(&l.placesOffset), h.at+get(&l.dependencies)
		d.scopes, d.end = get(&l.scopesBegin), d.places
		d.metadata = h.at + get(&l.metadataOffset)
	default:
		return d, false
	}
	return d, d.places < d.behind && d.behind-d.places <= maxPlaces*l.place &&
		d.scopes < d.end && d.end-d.scopes <= maxDebug
}

// Marks returns the marks of the methods at an address: that which was inlined innermost, then
// those that it was inlined into. They are valid until the next call.
func (h *HotSpot) Marks(addr uint64) []uint64 {
	b := h.find(addr)
	h.one[0] = b.mark
	switch {
	case b.mark == 0:
		return nil
	case b.debug.id == 0 || addr < b.complete || addr < b.begin:
		return h.one[:]
	}
	k, ok := h.scopes[addr]
	if !ok || k.of != b.debug {
		if h.reads < maxReads/2 {
			return h.one[:] // the other half of the reads is for walking
		}
		k = kept{of: b.debug, marks: h.inlined(&b, addr)}
		if h.keptMarks += 1 + len(k.marks); h.keptMarks > maxKeptScopes {
			clear(h.scopes)
			h.keptMarks = 1 + len(k.marks)
		}
		h.scopes[addr] = k
	}
	if len(k.marks) == 0 {
		return h.one[:]
	}
	return k.marks
}

// inlined returns the marks of the methods to which the code at an address of a blob belongs; none
// where that is unknown or makes no sense.
func (h *HotSpot) inlined(b *blob, addr uint64) []uint64 {
	d := &b.debug
	before, here, ok := h.placesAt(d, addr-b.begin)
	if !ok {
		return nil
	}
	marks := h.chain(d, here.scope)
	// Without the option only calls and loops have places. The method of code between two places is
	// unknown, but it was inlined into the outermost methods that both places share.
	if !h.everywhere && here.end != addr-b.begin+1 {
		marks = shared(marks, h.chain(d, before.scope))
	}
	// Other code may have taken its place meanwhile.
	h.forget()
	head, readable := h.header(d.at, addr)
	if now, _ := h.layout.debugOf(&head); !readable || now != *d || len(marks) == 0 ||
		marks[len(marks)-1] != b.mark {
		return nil
	}
	return marks
}

// shared returns the outermost methods that both lists have.
func shared(a, b []uint64) []uint64 {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return a[len(a)-n:]
}

// chain returns the methods of a scope, the innermost first; none where something makes no sense.
func (h *HotSpot) chain(d *debug, scope uint64) (marks []uint64) {
	for scope != 0 {
		if len(marks) >= maxInlined || scope >= d.end-d.scopes {
			return nil
		}
		var raw [10]byte // two numbers: the scope that it was inlined into, and the method
		if !h.read(raw[:min(uint64(len(raw)), d.end-d.scopes-scope)], d.scopes+scope) {
			return nil
		}
		caller, n := h.number(raw[:])
		index, _ := h.number(raw[n:])
		if index == 0 || index > maxMetadata || uint64(caller) >= scope {
			return nil // the scopes that it was inlined into are written first
		}
		at, readable := h.word(d.metadata + 8*uint64(index-1))
		mark := h.method(at, false)
		if !readable || mark == 0 {
			return nil
		}
		marks = append(marks, mark)
		scope = uint64(caller)
	}
	return marks
}

// codePlace is an entry of a method's list of places: where the code of a scope ends. The code
// of a call ends at the address to which the call returns.
type codePlace struct{ end, scope uint64 }

// placesAt finds the place whose code an offset lies in, and the one before it.
func (h *HotSpot) placesAt(d *debug, offset uint64) (before, here codePlace, ok bool) {
	l := &h.layout
	count := (d.behind - d.places) / l.place
	low, high := uint64(0), count
	for low < high {
		middle := (low + high) / 2
		end, ok := h.integer(d.places+middle*l.place+l.placeCode.offset, 4)
		if !ok {
			return before, here, false
		}
		if end > int64(offset) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	if low == 0 || low >= count {
		return before, here, false // the first and the last only bound the list
	}
	for i, p := range []*codePlace{&before, &here} {
		at := d.places + (low-1+uint64(i))*l.place
		end, ok1 := h.integer(at+l.placeCode.offset, 4)
		scope, ok2 := h.integer(at+l.placeScope.offset, 4)
		if !ok1 || !ok2 || scope < 0 {
			return before, here, false
		}
		p.end, p.scope = uint64(end), uint64(scope)
	}
	return before, here, true
}

// number reads a number of a stream, and returns it and its length in bytes
// (utilities/unsigned5.hpp; code/compressedStream.hpp before JDK 20).
func (h *HotSpot) number(b []byte) (v uint32, n int) {
	lowest := uint32(0)
	if h.version >= firstZeroless {
		lowest = 1
	}
	for shift := 0; n < 5 && n < len(b); shift += 6 {
		digit := uint32(b[n])
		n++
		v += (digit - lowest) << shift
		if digit < 192 {
			break
		}
	}
	return v, n
}
