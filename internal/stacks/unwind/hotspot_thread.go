package unwind

import (
	"encoding/binary"
	"runtime"
	"unicode/utf16"
)

const (
	maxThreads    = 4096
	maxFields     = 256     // fields of a class
	maxThreadName = 256     // characters of a name
	threadReads   = 1 << 15 // reads while the list of threads is read
)

// array returns where an array of bytes has its length and its bytes. Its class comes before them:
// in the first word, with 32 bits behind it, or as a word (oops/arrayOop.hpp). Bytes begin at a
// whole word before JDK 23.
func (l *threadLayout) array(version int64) (length, bytes uint64) {
	const aligned = 23
	switch {
	case l.compact:
		return 8, 12
	case l.short:
		return 12, 16
	case version < aligned:
		return 16, 24
	}
	return 16, 20
}

// threadLayout holds the places of what is read of threads.
type threadLayout struct {
	list, length, threads             field // ThreadsSMRSupport, ThreadsList
	system, object, oop, id           field // JavaThread, OopHandle, OSThread
	base, shift                       field // CompressedOops
	thread, text                      field // java.lang.Thread, java.lang.String
	constants, fields, count, stream  field // InstanceKlass
	shorts, bytes                     field // Array
	block, mounted, owner             field // OSThread, JavaThread
	nameOffset, valueOffset, encoding uint64
	number                            uint64 // where java.lang.Thread has its own; 0: not known
	narrow                            bool   // references to objects have 32 bits
	short, compact                    bool   // classes have 32 bits; a header is one word
	zgc, generational                 bool
	known                             bool
}

func (l *threadLayout) wanted() map[string]*field {
	return map[string]*field{
		"ThreadsSMRSupport::_java_thread_list": &l.list, "ThreadsList::_length": &l.length,
		"ThreadsList::_threads": &l.threads,
		"JavaThread::_osthread": &l.system, "Thread::_osthread": &l.system,
		"JavaThread::_threadObj": &l.object, "OopHandle::_obj": &l.oop,
		"OSThread::_thread_id":               &l.id,
		"OSThread::_pthread_id":              &l.block,
		"JavaThread::_vthread":               &l.mounted, // from JDK 21 on
		"JavaThread::_lock_id":               &l.owner,   // JDK 24
		"JavaThread::_monitor_owner_id":      &l.owner,   // from JDK 25 on
		"CompressedOops::_base":              &l.base,
		"CompressedOops::_shift":             &l.shift,
		"CompressedOops::_narrow_oop._base":  &l.base,
		"CompressedOops::_narrow_oop._shift": &l.shift,
		"vmClasses::_klasses[static_cast<int>(vmClassID::Thread_klass_knum)]": &l.thread,
		"vmClasses::_klasses[static_cast<int>(vmClassID::String_klass_knum)]": &l.text,
		"InstanceKlass::_constants":         &l.constants,
		"InstanceKlass::_fields":            &l.fields,
		"InstanceKlass::_java_fields_count": &l.count,
		"InstanceKlass::_fieldinfo_stream":  &l.stream,
		"Array<u2>::_data":                  &l.shorts,
		"Array<u1>::_data":                  &l.bytes,
	}
}

// JavaThread is a thread as the machine knows it.
type JavaThread struct {
	ID   uint32 // the kernel's id, in the PID namespace of the machine
	Name string
}

// Threads returns the machine's threads that have names, at most maxThreads, and takes note of
// those that can carry virtual threads. The objects with the
// names may be moved meanwhile, so that a name can be any text: the caller compares it with the
// kernel's.
func (h *HotSpot) Threads() (out []JavaThread) {
	l := &h.threads
	h.reads = threadReads
	h.forget()
	if !l.known && !h.describeThreads() {
		return nil
	}
	list, ok1 := h.word(l.list.offset)
	count, ok2 := h.integer(list+l.length.offset, 4)
	at, ok3 := h.word(list + l.threads.offset)
	if !ok1 || !ok2 || !ok3 || list == 0 {
		return nil
	}
	h.carriers = h.carriers[:0]
	for n := range uint64(min(max(count, 0), maxThreads)) {
		thread, ok1 := h.word(at + 8*n)
		system, ok2 := h.word(thread + l.system.offset)
		id, ok3 := h.integer(system+l.id.offset, 4)
		if !ok1 || !ok2 || !ok3 || thread == 0 || system == 0 || id <= 0 {
			continue
		}
		h.carrier(thread, system)
		if name := h.threadName(thread); name != "" {
			out = append(out, JavaThread{uint32(id), name})
		}
	}
	return out
}

// threadName returns the name that a thread's object has; "" where it cannot be read.
func (h *HotSpot) threadName(thread uint64) string {
	object, ok := h.object(thread + h.threads.object.offset)
	if !ok {
		return ""
	}
	return h.nameOf(object)
}

// object returns the address of the object that a handle at an address refers to.
func (h *HotSpot) object(at uint64) (object uint64, ok bool) {
	handle, ok1 := h.word(at)
	object, ok2 := h.wide(handle + h.threads.oop.offset)
	return object, ok1 && ok2 && handle != 0 && object != 0
}

// nameOf returns the name that a java.lang.Thread has; "" where it cannot be read.
func (h *HotSpot) nameOf(object uint64) string {
	l := &h.threads
	text, ok1 := h.reference(object + l.nameOffset)
	value, ok2 := h.reference(text + l.valueOffset)
	wide, ok3 := h.byteAt(text + l.encoding)
	lengthAt, bytesAt := l.array(h.version)
	length, ok4 := h.integer(value+lengthAt, 4)
	if !ok1 || !ok2 || !ok3 || !ok4 || text == 0 || value == 0 || wide > 1 || length <= 0 ||
		length > maxThreadName<<wide {
		return ""
	}
	b := make([]byte, length)
	if !h.read(b, value+bytesAt) {
		return ""
	}
	return decoded(b, wide == 1)
}

// decoded decodes a text of java.lang.String: Latin-1, or UTF-16 if it is wide.
func decoded(b []byte, wide bool) string {
	var out []rune
	if wide {
		units := make([]uint16, len(b)/2)
		for i := range units {
			units[i] = binary.LittleEndian.Uint16(b[2*i:])
		}
		out = utf16.Decode(units)
	} else {
		for _, c := range b {
			out = append(out, rune(c))
		}
	}
	return string(out)
}

// reference returns the address of the object that a field refers to; 0 for none.
func (h *HotSpot) reference(at uint64) (uint64, bool) {
	l := &h.threads
	if !l.narrow {
		return h.wide(at)
	}
	n, ok := h.integer(at, 4)
	base, ok1 := h.word(l.base.offset)
	shift, ok2 := h.integer(l.shift.offset, 4)
	if !ok || !ok1 || !ok2 || n == 0 || shift < 0 || shift > 8 {
		return 0, ok && n == 0
	}
	return base + uint64(uint32(n))<<shift, true
}

// wide returns the address of the object that a word refers to. The generational ZGC has colours in
// the word's low bits.
func (h *HotSpot) wide(at uint64) (uint64, bool) {
	v, ok := h.word(at)
	if l := &h.threads; !ok || !l.zgc || !l.generational && h.version < onlyGenerational {
		return v, ok
	}
	return uncoloured(v)
}

// onlyGenerational is the JDK version from which on ZGC has no other mode.
const onlyGenerational = 24

// uncoloured returns the address in a coloured reference (gc/z/zAddress.hpp,
// zAddress_x86.inline.hpp and those of other processors). On x86-64 it stands right above the one
// of the bits 12 to 15 that is set, so that zeros at its end take the place of the others.
func uncoloured(v uint64) (uint64, bool) {
	if runtime.GOARCH != "amd64" {
		return v >> 16, true
	}
	switch v >> 12 & 15 {
	case 0:
		return 0, v == 0
	case 1:
		return v >> 13, true
	case 2:
		return v >> 14, true
	case 4:
		return v >> 15, true
	case 8:
		return v >> 16, true
	}
	return 0, false
}

func (h *HotSpot) byteAt(at uint64) (byte, bool) {
	var b [1]byte
	ok := h.read(b[:], at)
	return b[0], ok
}

// describeThreads finds the offsets of the fields of Java classes, which the machine lays out when
// it starts.
func (h *HotSpot) describeThreads() bool {
	l := &h.threads
	for _, f := range []*field{&l.list, &l.length, &l.threads, &l.system, &l.object, &l.oop, &l.id,
		&l.base, &l.shift, &l.thread, &l.text, &l.constants, &l.shorts, &l.bytes} {
		if !f.known {
			return false
		}
	}
	thread, ok1 := h.word(l.thread.offset)
	text, ok2 := h.word(l.text.offset)
	if !ok1 || !ok2 || thread == 0 || text == 0 {
		return false
	}
	l.nameOffset, ok1 = h.fieldOf(thread, "name")
	l.valueOffset, ok2 = h.fieldOf(text, "value")
	var ok3 bool
	l.encoding, ok3 = h.fieldOf(text, "coder")
	l.known = ok1 && ok2 && ok3
	l.number, _ = h.fieldOf(thread, "tid")
	return l.known
}

// fieldOf returns the offset of a field in the objects of a class (oops/fieldInfo.hpp).
func (h *HotSpot) fieldOf(class uint64, name string) (uint64, bool) {
	l := &h.threads
	pool, ok := h.word(class + l.constants.offset)
	if !ok {
		return 0, false
	}
	if l.stream.known {
		return h.inStream(class, pool, name)
	}
	fields, ok1 := h.word(class + l.fields.offset)
	count, ok2 := h.integer(class+l.count.offset, 2)
	if !l.fields.known || !l.count.known || !ok1 || !ok2 || count < 0 || count > maxFields {
		return 0, false
	}
	// JDK 20 and before: six numbers for each field, the second of which is the name's, and the
	// last two of which hold the offset above two bits
	for n := range uint64(count) {
		var b [12]byte
		if !h.read(b[:], fields+l.shorts.offset+12*n) {
			return 0, false
		}
		if h.inPoolAt(pool, uint64(binary.LittleEndian.Uint16(b[2:]))) == name {
			return uint64(binary.LittleEndian.Uint32(b[8:])) >> 2, true
		}
	}
	return 0, false
}

// inStream does the work of fieldOf where the numbers of a class's fields are in a stream, from JDK
// 21 on.
func (h *HotSpot) inStream(class, pool uint64, name string) (uint64, bool) {
	l := &h.threads
	stream, ok1 := h.word(class + l.stream.offset)
	length, ok2 := h.integer(stream, 4)
	if !ok1 || !ok2 || length <= 0 || length > 1<<14 {
		return 0, false
	}
	b := make([]byte, length)
	if !h.read(b, stream+l.bytes.offset) {
		return 0, false
	}
	next := func() uint64 {
		v, n := h.number(b)
		b = b[n:]
		return uint64(v)
	}
	count := next()
	next() // fields that the machine added
	for range min(count, maxFields) {
		index, _, at, _, flags := next(), next(), next(), next(), next()
		for _, bit := range []uint{0, 2, 4} { // a value, a signature, a group
			if flags>>bit&1 != 0 {
				next()
			}
		}
		if h.inPoolAt(pool, index) == name {
			return at, true
		}
	}
	return 0, false
}

// inPoolAt returns the text that a number has in a pool of constants.
func (h *HotSpot) inPoolAt(pool, index uint64) string {
	text, ok := h.word(pool + h.layout.pool + 8*index)
	if !ok || h.layout.pool == 0 || !h.layout.symbolLength.known || !h.layout.symbolBody.known {
		return ""
	}
	return h.symbol(text)
}
