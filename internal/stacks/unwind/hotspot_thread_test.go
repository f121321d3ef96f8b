package unwind

import (
	"encoding/binary"
	"math/bits"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"
)

// The header of an array of bytes where classes have 32 bits.
const (
	arrayLength = 12
	arrayBytes  = 16
)

// object is room for a Java object, in the image, by its number: references have 32 bits.
func (p *process) object(n uint64) (at uint64, number uint32) {
	at = p.room(n)
	return at, uint32(at - imageAt)
}

func (p *process) half(at uint64, v uint32) {
	binary.LittleEndian.PutUint32(p.regions[imageAt][at-imageAt:], v)
}

// javaText is a String, with its bytes' array.
func (p *process) javaText(s string, wide bool) uint32 {
	var b []byte
	if wide {
		for _, u := range utf16.Encode([]rune(s)) {
			b = binary.LittleEndian.AppendUint16(b, u)
		}
	} else {
		for _, r := range s {
			b = append(b, byte(r))
		}
	}
	array, arrayNumber := p.object(arrayBytes + uint64(len(b)))
	p.half(array+arrayLength, uint32(len(b)))
	copy(p.regions[imageAt][array+arrayBytes-imageAt:], b)
	text, number := p.object(32)
	p.half(text+12, arrayNumber)
	if wide {
		p.regions[imageAt][text+20-imageAt] = 1
	}
	return number
}

// threaded is an opened machine of a version with these threads: their ids, and their names' texts.
func threaded(t testing.TB, p *process, version uint64, ids []uint32, names []uint32) *HotSpot {
	m := p.open(t)
	l := &m.threads
	class := func(fields []string, offsets []uint32) uint64 {
		at, pool := p.room(64), p.room(poolSize+8*16)
		p.put(at, pool)
		stream := newStream(21)
		stream.b = nil
		stream.number(uint32(len(fields)))
		stream.number(0)
		old := p.room(uint64(8 + 12*len(fields)))
		for i, name := range fields {
			p.put(pool+poolSize+8*uint64(i+3), p.symbol(name))
			for _, v := range []uint32{uint32(i + 3), 9, offsets[i], 0, 1, 500} {
				stream.number(v) // the last is a value, as the flag before it says
			}
			entry := p.regions[imageAt][old+4+12*uint64(i)-imageAt:]
			binary.LittleEndian.PutUint16(entry[2:], uint16(i+3))
			binary.LittleEndian.PutUint32(entry[8:], offsets[i]<<2|1)
		}
		data := p.room(uint64(8 + len(stream.b)))
		p.half(data, uint32(len(stream.b)))
		copy(p.regions[imageAt][data+4-imageAt:], stream.b)
		p.put(at+8, old)
		p.put(at+16, uint64(len(fields)))
		p.put(at+24, data)
		return at
	}
	static := func(v uint64) field {
		at := p.room(8)
		p.put(at, v)
		return field{offset: at, known: true}
	}
	at := func(n uint64) field { return field{offset: n, known: true} }
	l.thread = static(class([]string{"eetop", "name", "tid"}, []uint32{16, 40, 24}))
	l.text = static(class([]string{"value", "hash", "coder"}, []uint32{12, 16, 20}))
	l.constants, l.fields, l.count = at(0), at(8), at(16)
	if version >= 21 {
		l.stream = at(24)
	}
	l.shorts, l.bytes = at(4), at(4)
	l.base, l.shift = static(imageAt), static(0)
	l.system, l.object, l.oop, l.id = at(8), at(16), at(0), at(24)
	l.length, l.threads = at(4), at(16)
	l.narrow, l.short = true, true
	list, array := p.room(32), p.room(uint64(8*len(ids)+8))
	p.half(list+4, uint32(len(ids)))
	p.put(list+16, array)
	l.list = static(list)
	for i, id := range ids {
		thread, system, handle := p.room(48), p.room(32), p.room(8)
		object, _ := p.object(48)
		p.half(object+40, names[i])
		p.put(handle, object)
		p.put(system+24, uint64(id))
		p.put(thread+8, system)
		p.put(thread+16, handle)
		p.put(array+8*uint64(i), thread)
	}
	return m
}

// TestThreads: each thread has its name, of either coding, in the layouts of fields before and
// since JDK 21; one without a name is left out.
func TestThreads(t *testing.T) {
	for _, version := range []uint64{17, 25} {
		p := newMachine(version)
		m := threaded(t, p, version, []uint32{100, 101, 0, 103, 104},
			[]uint32{p.javaText("http-nio-8080-exec-1", false), p.javaText("Straße 中", true),
				p.javaText("no id", false), 0, p.javaText("\u00e9t\u00e9", false)})
		want := []JavaThread{{100, "http-nio-8080-exec-1"}, {101, "Straße 中"}, {104, "été"}}
		for range 2 {
			if got := m.Threads(); !reflect.DeepEqual(got, want) {
				t.Errorf("JDK %d: %v, want %v", version, got, want)
			}
		}
	}
	if got := newProcess().open(t).Threads(); got != nil {
		t.Errorf("a machine that says nothing of threads: %v", got)
	}
}

// heapLayout is a machine's layout of objects.
type heapLayout struct {
	name                string
	version             int64
	short, compact, zgc bool
	colour              uint64 // the bit of the generational ZGC's references, 0 without
	length, bytes       uint64 // of an array
}

// refer writes the place of an object as the machine does.
func (h *heapLayout) refer(p *process, at, object uint64) {
	if h.colour != 0 {
		object = object<<(bits.TrailingZeros64(h.colour)+1) | h.colour | 0x110
	}
	p.put(at, object)
}

// TestThreadsOfWideObjects: names are read where references have 64 bits, with ZGC's colours, and
// behind headers of each size.
func TestThreadsOfWideObjects(t *testing.T) {
	for _, h := range []heapLayout{
		{name: "JDK 17", version: 17, short: true, length: 12, bytes: 16},
		{name: "JDK 17, ZGC", version: 17, short: true, zgc: true, length: 12, bytes: 16},
		{name: "JDK 17, wide classes", version: 17, length: 16, bytes: 24},
		{name: "JDK 25, wide classes", version: 25, length: 16, bytes: 20},
		{name: "compact headers", version: 25, short: true, compact: true, length: 8, bytes: 12},
		{name: "Remapped00", version: 25, short: true, zgc: true, colour: 1 << 12, length: 12,
			bytes: 16},
		{name: "Remapped01", version: 24, short: true, zgc: true, colour: 1 << 13, length: 12,
			bytes: 16},
		{name: "Remapped10", version: 25, short: true, zgc: true, colour: 1 << 14, length: 12,
			bytes: 16},
		{name: "Remapped11", version: 25, compact: true, zgc: true, colour: 1 << 15, length: 8,
			bytes: 12},
	} {
		if h.colour != 0 && h.colour != 1<<15 && runtime.GOARCH != "amd64" {
			continue
		}
		p := newMachine(uint64(h.version))
		const name = "a name with ä, longer than the kernel's"
		array := p.room(h.bytes + 64)
		text := p.room(32)
		latin := []byte(strings.ReplaceAll(name, "ä", "\xe4"))
		p.half(array+h.length, uint32(len(latin)))
		copy(p.regions[imageAt][array+h.bytes-imageAt:], latin)
		m := threaded(t, p, uint64(h.version), []uint32{100}, []uint32{0})
		h.refer(p, text+12, array)
		l := &m.threads
		thread, _ := m.word(l.list.offset)
		thread, _ = m.word(thread + 16)
		thread, _ = m.word(thread)
		handle, _ := m.word(thread + 16)
		object := p.room(48)
		h.refer(p, handle, object)
		h.refer(p, object+40, text)
		l.narrow, l.short, l.compact, l.zgc = false, h.short, h.compact, h.zgc
		m.version = h.version
		want := []JavaThread{{100, name}}
		if got := m.Threads(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", h.name, got, want)
		}
	}
	for _, v := range []uint64{0x3000, 0xf000, 0x10110, 0x5000} {
		if at, ok := uncoloured(v); ok && runtime.GOARCH == "amd64" {
			t.Errorf("%#x is a reference to %#x", v, at)
		}
	}
}

// FuzzThreads: whatever the memory says, the names are few, short and text.
func FuzzThreads(f *testing.F) {
	f.Add([]byte{}, false)
	f.Add([]byte{1, 2, 9, 0, 20, 255}, true)
	f.Fuzz(func(t *testing.T, changes []byte, since21 bool) {
		version := uint64(17)
		if since21 {
			version = 25
		}
		p := newMachine(version)
		m := threaded(t, p, version, []uint32{100, 101},
			[]uint32{p.javaText("a name of a thread", false), p.javaText("中", true)})
		if len(changes) > 0 {
			m.threads.narrow, m.threads.zgc = changes[0]&1 == 0, changes[0]&2 != 0
			m.version = int64(version)
		}
		image := p.regions[imageAt]
		for ; len(changes) >= 3; changes = changes[3:] {
			image[(int(changes[0])|int(changes[1])<<8)%len(image)] = changes[2]
		}
		got := m.Threads()
		if len(got) > maxThreads {
			t.Errorf("%d threads", len(got))
		}
		for _, x := range got {
			if len(x.Name) == 0 || len(x.Name) > 4*maxThreadName || x.ID == 0 {
				t.Errorf("%d %q", x.ID, x.Name)
			}
		}
	})
}
