package unwind

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"
)

// Where the machine that is made by hand has what.
const (
	imageAt    = 0x10000
	imageSize  = 0x8000
	heapAt     = 0x7f0000000000
	heapSize   = 0x4000
	mapAt      = 0x7f1000000000
	blobName   = 0x00 // fields of a CodeBlob, as in OpenJDK 17
	blobSize   = 0x14
	blobDone   = 0x1c
	blobFrame  = 0x20
	blobBegin  = 0x28
	blobMethod = 0x30
	blobID     = 0x38 // of the compilation
	blobPlaces = 0x3c // the places of debug information, as in OpenJDK 17
	blobBehind = 0x40
	blobMeta   = 0x44
	blobScopes = 0x48
	blobData   = 0x50 // the same as in OpenJDK 25
	blobLength = 0x58
	blobMoved  = 0x5c
	blobOther  = 0x60
	blobReloc  = 0x68
	blobHead   = 0x70
	poolSize   = 24
	shift      = 7
)

// process is a process's memory.
type process struct {
	regions map[uint64][]byte
	symbols map[string]uint64
	next    uint64 // free in the image
	on      uint64 // where PreserveFramePointer is
	points  uint64 // where DebugNonSafepoints is
	version uint64 // where JDK's is
}

func (p *process) ReadAt(b []byte, at int64) (n int, err error) {
	for start, r := range p.regions {
		if uint64(at) >= start && uint64(at) < start+uint64(len(r)) {
			n = copy(b, r[uint64(at)-start:])
		}
	}
	if n < len(b) {
		err = io.EOF
	}
	return n, err
}

func (p *process) put(at, v uint64) {
	binary.LittleEndian.PutUint64(p.regions[imageAt][at-imageAt:], v)
}

func (p *process) room(n uint64) (at uint64) {
	at = p.next
	p.next += (n + 7) &^ 7
	return at
}

func (p *process) text(s string) uint64 {
	at := p.room(uint64(len(s)) + 1)
	copy(p.regions[imageAt][at-imageAt:], s)
	return at
}

func (p *process) variable(name string, v uint64) {
	p.symbols[name] = p.room(8)
	p.put(p.symbols[name], v)
}

type declared struct {
	owner, name, kind string
	static            bool
	at                uint64
}

// newProcess makes a machine with one code heap, which is empty.
func newProcess() *process { return newMachine(17) }

// newMachine is one of a version of JDK.
func newMachine(version uint64) *process {
	p := &process{
		regions: map[uint64][]byte{imageAt: make([]byte, imageSize), heapAt: make([]byte, heapSize),
			mapAt: slices.Repeat([]byte{0xff}, heapSize>>shift)},
		symbols: map[string]uint64{}, next: imageAt + 16,
	}
	heap := p.room(64)
	p.put(heap+8, heapAt)           // _memory._low
	p.put(heap+16, heapAt+heapSize) // _memory._high_boundary
	p.put(heap+24+8, mapAt)         // _segmap._low
	p.put(heap+56, shift)
	data, array, heaps := p.room(8), p.room(16), p.room(8)
	p.put(data, heap)
	p.put(array, 1)
	p.put(array+8, data)
	p.put(heaps, array)
	on, points, flag, flags, count := p.room(8), p.room(8), p.room(32), p.room(8), p.room(8)
	p.put(on, 1)
	p.put(points, 1)
	p.on, p.points, p.version = on, points, p.room(8)
	p.put(p.version, version)
	p.put(flag, p.text("PreserveFramePointer"))
	p.put(flag+8, on)
	p.put(flag+16, p.text("DebugNonSafepoints"))
	p.put(flag+24, points)
	p.put(flags, flag)
	p.put(count, 2)

	list := []declared{
		{"CodeCache", "_heaps", "GrowableArray<CodeHeap*>*", true, heaps},
		{"GrowableArrayBase", "_len", "int", false, 0},
		{"GrowableArray<int>", "_data", "int*", false, 8},
		{"CodeHeap", "_memory", "VirtualSpace", false, 0},
		{"CodeHeap", "_segmap", "VirtualSpace", false, 24},
		{"CodeHeap", "_log2_segment_size", "int", false, 56},
		{"VirtualSpace", "_low", "char*", false, 8},
		{"VirtualSpace", "_high_boundary", "char*", false, 16},
		{"CodeBlob", "_name", "const char*", false, blobName},
		{"CodeBlob", "_size", "int", false, blobSize},
		{"CodeBlob", "_frame_complete_offset", "int", false, blobDone},
		{"CodeBlob", "_frame_size", "int", false, blobFrame},
		{"CodeBlob", "_code_begin", "address", false, blobBegin},
		{"JVMFlag", "flags", "JVMFlag*", true, flags},
		{"JVMFlag", "numFlags", "size_t", true, count},
		{"JVMFlag", "_name", "const char*", false, 0}, {"JVMFlag", "_addr", "address", false, 8},
		{"CompiledMethod", "_method", "Method*", false, blobMethod},
		{"Method", "_constMethod", "ConstMethod*", false, 8},
		{"Method", "_i2i_entry", "address", false, 24},
		{"ConstMethod", "_constants", "ConstantPool*", false, 8},
		{"ConstMethod", "_name_index", "u2", false, 18},
		{"ConstMethod", "_signature_index", "u2", false, 20},
		{"ConstantPool", "_pool_holder", "InstanceKlass*", false, 16},
		{"Klass", "_name", "Symbol*", false, 8},
		{"Symbol", "_length", "u2", false, 4}, {"Symbol", "_body", "", false, 6},
		{"Abstract_VM_Version", "_vm_major_version", "int", true, p.version},
		{"nmethod", "_compile_id", "int", false, blobID},
		{"nmethod", "_scopes_pcs_offset", "int", false, blobPlaces},
		{"PcDesc", "_pc_offset", "int", false, 0},
		{"PcDesc", "_scope_decode_offset", "int", false, 4},
	}
	if version < 23 {
		list = append(list, declared{"nmethod", "_dependencies_offset", "int", false, blobBehind},
			declared{"nmethod", "_metadata_offset", "int", false, blobMeta},
			declared{"CompiledMethod", "_scopes_data_begin", "address", false, blobScopes})
	} else {
		list = append(list, declared{"nmethod", "_immutable_data", "address", false, blobData},
			declared{"nmethod", "_immutable_data_size", "int", false, blobLength},
			declared{"nmethod", "_scopes_data_offset", "int", false, blobMoved})
	}
	if version >= 25 {
		list = append(list, declared{"CodeBlob", "_mutable_data", "address", false, blobOther},
			declared{"CodeBlob", "_relocation_size", "int", false, blobReloc})
	} else if version >= 23 {
		list = append(list, declared{"CodeBlob", "_data_offset", "int", false, blobReloc},
			declared{"nmethod", "_metadata_offset", "u2", false, blobMeta})
	}
	table := p.room(48 * uint64(len(list)+1))
	for i, d := range list {
		at := table + 48*uint64(i)
		p.put(at, p.text(d.owner))
		p.put(at+8, p.text(d.name))
		p.put(at+16, p.text(d.kind))
		if d.static {
			p.put(at+24, 1)
			p.put(at+40, d.at)
		} else {
			p.put(at+32, d.at)
		}
	}
	p.variable("gHotSpotVMStructs", table)
	p.variable("gHotSpotVMStructEntryArrayStride", 48)
	for i, name := range []string{"TypeName", "FieldName", "TypeString", "IsStatic", "Offset",
		"Address"} {
		p.variable("gHotSpotVMStructEntry"+name+"Offset", uint64(8*i))
	}
	types := p.room(5 * 16)
	p.put(types+48, p.text("PcDesc"))
	p.put(types+56, 16)
	p.put(types+32, p.text("ConstantPool"))
	p.put(types+40, poolSize)
	p.put(types, p.text("HeapBlock"))
	p.put(types+8, 16)
	p.put(types+16, p.text("JVMFlag"))
	p.put(types+24, 16)
	p.variable("gHotSpotVMTypes", types)
	p.variable("gHotSpotVMTypeEntryArrayStride", 16)
	p.variable("gHotSpotVMTypeEntryTypeNameOffset", 0)
	p.variable("gHotSpotVMTypeEntrySizeOffset", 8)
	return p
}

// symbol is one of the machine's texts.
func (p *process) symbol(s string) uint64 {
	at := p.room(uint64(6 + len(s)))
	b := p.regions[imageAt][at-imageAt:]
	binary.LittleEndian.PutUint16(b[4:], uint16(len(s)))
	copy(b[6:], s)
	return at
}

// method makes a method, and says where it is.
func (p *process) method(class, name string, entry uint64) uint64 {
	holder, pool, constMethod, at := p.room(16), p.room(poolSize+8*4), p.room(24), p.room(32)
	p.put(holder+8, p.symbol(class))
	p.put(pool+16, holder)
	p.put(pool+poolSize+8*2, p.symbol(name))
	p.put(constMethod+8, pool)
	p.put(pool+poolSize+8*3, p.symbol("(I)V"))
	p.put(constMethod+16, 2<<16|3<<32) // _name_index, _signature_index
	p.put(at+8, constMethod)
	p.put(at+24, entry)
	return at
}

// runs has the compiled code at an address be a method's.
func (p *process) runs(code, method uint64) {
	binary.LittleEndian.PutUint64(p.regions[heapAt][code-blobHead-heapAt+blobMethod:], method)
}

// add puts a blob of two segments or more into the heap, at a segment, and says where its code
// begins.
func (p *process) add(segment uint64, name string, frame, complete int32, code []byte) uint64 {
	at := segment<<shift + 16
	b := p.regions[heapAt][at:]
	begin := heapAt + at + blobHead
	binary.LittleEndian.PutUint64(b[blobName:], p.text(name))
	binary.LittleEndian.PutUint32(b[blobSize:], uint32(blobHead+len(code)))
	binary.LittleEndian.PutUint32(b[blobDone:], uint32(complete))
	binary.LittleEndian.PutUint32(b[blobFrame:], uint32(frame))
	binary.LittleEndian.PutUint64(b[blobBegin:], begin)
	copy(b[blobHead:], code)
	for n := range uint64((16+blobHead+len(code)-1)>>shift + 1) {
		p.regions[mapAt][segment+n] = byte(min(n, 1))
	}
	return begin
}

func (p *process) open(t testing.TB) *HotSpot {
	t.Helper()
	m, err := OpenHotSpot(p, func(name string) (uint64, bool) {
		at, ok := p.symbols[name]
		return at, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// markAt is the mark of the outermost method at an address.
func markAt(m *HotSpot, addr uint64) uint64 {
	if marks := m.Marks(addr); len(marks) > 0 {
		return marks[len(marks)-1]
	}
	return 0
}

func asm(parts ...[]byte) []byte { return slices.Concat(parts...) }

var (
	bang  = []byte{0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff} // mov [rsp-0x14000], eax
	sub32 = []byte{0x48, 0x83, 0xec, 0x20}                   // sub rsp, 32
	add32 = []byte{0x48, 0x83, 0xc4, 0x20}
	// cmp rsp, [r15+0x348]; ja
	poll = []byte{0x49, 0x3b, 0xa7, 0x48, 0x03, 0, 0, 0x0f, 0x87, 0x20, 0, 0, 0}
	ret  = []byte{0xc3}
	nops = slices.Repeat([]byte{0x90}, 300)
)

// TestHotSpotFrames: each instruction of a method, and of code that has no frame of its own, has
// its frame.
func TestHotSpotFrames(t *testing.T) {
	p := newProcess()
	body := []byte{0x90, 0x90, 0x90, 0x90}
	method := asm(bang, push, sub32, body, add32, pop, poll, ret, nops)
	kept := asm(bang, push, link, sub32, body, nops)
	// sub rsp, 40; mov [rsp+32], rbp
	moved := asm([]byte{0x48, 0x83, 0xec, 0x28}, saveFP8, []byte{0x20}, body, nops)
	// push rax first
	stub := asm([]byte{0x50}, enter, body, ret, nops)
	a := p.add(0, "nmethod", 6, 12, method)
	b := p.add(8, "nmethod", 6, 15, kept)
	c := p.add(16, "nmethod", 6, 9, moved)
	d := p.add(24, "g1_post_barrier_slow", 20, -1, stub)
	e := p.add(32, "Interpreter", 0, -1, nops)
	f := p.add(40, "vtable chunks", 0, -1, nops)
	g := p.add(48, "StubRoutines (1)", 0, -1, asm(enter, nops))
	m := p.open(t)

	none := Frame{Kind: bySize, Size: 8}
	pushed := Frame{Kind: bySize, Size: 16, Saved: true}
	made := Frame{Kind: bySize, Size: 48, Saved: true}
	chain := Frame{}
	interpreted := Frame{Kind: interpreted}
	for _, c := range []struct {
		what  string
		at    uint64
		exact bool
		want  Frame
	}{
		{"entry", a, true, none}, {"before push", a + 7, true, none},
		{"after push", a + 8, true, pushed},
		{"made", a + 12, true, made}, {"before its frame is left", a + 16, true, made},
		{"before pop", a + 20, true, pushed},
		{"looks whether it is to stop", a + 21, true, none}, {"branches", a + 28, true, none},
		{"before return", a + 34, true, none},
		{"in a call", a + 14, false, made}, {"in a later segment", a + 200, false, made},
		{"after push, links", b + 8, true, pushed}, {"linked", b + 11, true, pushed},
		{"linked, made", b + 15, true, made},
		{"before room is made", c, true, none},
		{"before the frame pointer is moved", c + 4, true,
			Frame{Kind: bySize, Size: 48}},
		{"moved", c + 9, true, made},
		{"stub", d, true, none}, {"stub that has pushed", d + 1, true, none},
		{"stub that links", d + 2, true, pushed},
		{"stub that has linked", d + 5, true, chain}, {"stub's return", d + 9, true, none},
		{"stub in a call", d + 6, false, Frame{Kind: bySize, Size: 160, Saved: true}},
		{"interpreter", e + 9, true, interpreted},
		{"interpreter in a call", e + 9, false, interpreted},
		{"virtual call", f + 9, true, none},
		{"routine", g, true, none}, {"routine that links", g + 1, true, pushed},
		{"routine that has linked", g + 4, true, Frame{}},
		{"free", heapAt + heapSize - 1, true, Frame{}},
		{"elsewhere", imageAt, true, Frame{}},
	} {
		got := m.At(c.at, c.exact)
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
	if !m.Has(heapAt) || m.Has(heapAt+heapSize) || m.Has(heapAt-1) {
		t.Error("does not know its own code")
	}
	if m.Unlinked(a) {
		t.Error("does not know that it keeps frame pointers")
	}
	p.regions[imageAt][p.on-imageAt] = 0
	if m = p.open(t); !m.Unlinked(a) || m.Unlinked(imageAt) {
		t.Error("does not know that it keeps no frame pointers")
	}
}

// TestNames: compiled code has its method's name, the interpreter that of the method it runs, other
// code its own; what a stack has in the place of a method and is none has none.
func TestNames(t *testing.T) {
	p := newProcess()
	code, interpreter, stub := p.add(0, "nmethod", 4, 12, nops), p.add(8, "Interpreter", 0, -1,
		nops), p.add(16, "StubRoutines (1)", 0, -1, nops)
	entry := interpreter + 8
	one, other := p.method("java/lang/String", "hashCode", entry), p.method("app/Main$1", "<init>",
		entry)
	elsewhere, nameless := p.method("app/Main", "run", imageAt), p.method("app/Main", "", entry)
	text := p.method("app/Main", "\xff\xfe", entry)
	p.runs(code, one)
	m := p.open(t)
	name := func(mark uint64) string {
		if mark == 0 {
			return ""
		}
		c := m.Codes()[mark&^Marked]
		if c.Interpreted {
			return "interpreted " + c.Name
		}
		return c.Name
	}
	for _, c := range []struct {
		what string
		mark uint64
		want string
	}{
		{"compiled", markAt(m, code+5), "java.lang.String.hashCode"},
		{"interpreter", markAt(m, interpreter), "Interpreter"},
		{"stub", markAt(m, stub+1), "StubRoutines (1)"}, {"free", markAt(m, heapAt+heapSize-1), ""},
		{"elsewhere", markAt(m, imageAt), ""},
		{"interpreted", m.MarkInterpreted(other), "interpreted app.Main$1.<init>"},
		{"interpreted, compiled too", m.MarkInterpreted(one),
			"interpreted java.lang.String.hashCode"},
		{"entered elsewhere", m.MarkInterpreted(elsewhere), ""},
		{"no name", m.MarkInterpreted(nameless), ""}, {"no text", m.MarkInterpreted(text), ""},
		{"between", m.MarkInterpreted(one + 4), ""}, {"nothing", m.MarkInterpreted(0), ""},
		{"nowhere", m.MarkInterpreted(1 << 60), ""},
	} {
		if got := name(c.mark); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	was := markAt(m, code)
	p.runs(code, other)
	for range keptForCode {
		m.Stack()
	}
	if got := markAt(m, code); name(got) != "app.Main$1.<init>" ||
		name(was) != "java.lang.String.hashCode" {
		t.Errorf("another method's code at its place: %q, was %q", name(got), name(was))
	}
	p.put(other+8, 0) // another method at its place
	for range keptForCode {
		m.Stack()
	}
	if got := m.MarkInterpreted(other); got != 0 {
		t.Errorf("no method any more: %q", name(got))
	}
	delete(p.regions, imageAt)
	for range keptForCode {
		m.Stack()
	}
	if got := markAt(m, code); name(got) == "" || markAt(m, stub) == 0 {
		t.Errorf("what was known is gone with the machine: %q", name(got))
	}
}

// TestReplaced: the code at an address is read again after a while.
func TestReplaced(t *testing.T) {
	p := newProcess()
	at := p.add(0, "nmethod", 6, 12, nops) + 100
	m := p.open(t)
	for range keptForCode + 1 {
		m.Stack()
		if got := m.At(at, false).Size; got == 64 {
			return
		}
		p.add(0, "nmethod", 8, 12, nops)
	}
	t.Error("the new method keeps the old one's frame for ever")
}

func TestCalls(t *testing.T) {
	for _, c := range []struct {
		code []byte
		want bool
	}{
		{[]byte{0x90, 0x90, 0xe8, 1, 2, 3, 4}, true},
		{[]byte{0x90, 0x90, 0x90, 0x90, 0x41, 0xff, 0xd2}, true},
		{[]byte{0x90, 0xff, 0x90, 0x40, 0x01, 0, 0}, true},
		{[]byte{0x90, 0x90, 0x90, 0x90, 0xff, 0x50, 0x08}, true},
		{[]byte{0x90, 0x90, 0x90, 0xff, 0x54, 0x24, 0x08}, true},
		{[]byte{0xff, 0x94, 0x24, 0x08, 0, 0, 0}, true},
		{[]byte{0x90, 0x90, 0x90, 0x90, 0xff, 0xe0, 0x90}, false},
		{[]byte{0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xe0}, false}, {nil, false},
	} {
		if got := calls(c.code); got != c.want {
			t.Errorf("% x: %v", c.code, got)
		}
	}
}

// TestOpen: the error says what is missing, or has not come yet.
func TestOpen(t *testing.T) {
	p := newProcess()
	symbol := func(name string) (uint64, bool) { at, ok := p.symbols[name]; return at, ok }
	delete(p.symbols, "gHotSpotVMTypes")
	if _, err := OpenHotSpot(p, symbol); err == nil || errors.Is(err, ErrNoCodeCache) {
		t.Errorf("without a table: %v", err)
	}
	p = newProcess()
	p.put(p.symbols["gHotSpotVMStructEntryArrayStride"], 0)
	if _, err := OpenHotSpot(p, symbol); !errors.Is(err, ErrNoCodeCache) {
		t.Errorf("before the machine has begun: %v", err)
	}
	p = newProcess()
	p.put(p.symbols["gHotSpotVMTypeEntryTypeNameOffset"], 300)
	if _, err := OpenHotSpot(p, symbol); err == nil || errors.Is(err, ErrNoCodeCache) {
		t.Errorf("a place behind its entry: %v", err)
	}
}

// FuzzVM: a memory that says anything leads to no crash, no endless search, and no frame
// without a bound.
func FuzzVM(f *testing.F) {
	f.Add([]byte{}, uint64(0))
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, uint64(100))
	f.Fuzz(func(t *testing.T, changes []byte, at uint64) {
		p := newProcess()
		method := p.method("app/Main", "run", p.add(8, "Interpreter", 0, -1, nops))
		p.runs(p.add(0, "nmethod", 6, 12, nops), method)
		order := []uint64{imageAt, heapAt, mapAt}
		for len(changes) >= 4 {
			r := p.regions[order[int(changes[0])%len(order)]]
			r[(int(changes[1])|int(changes[2])<<8)%len(r)] = changes[3]
			changes = changes[4:]
		}
		m, err := OpenHotSpot(p, func(name string) (uint64, bool) {
			at, ok := p.symbols[name]
			return at,
				ok
		})
		if err != nil {
			return
		}
		for _, addr := range []uint64{at, heapAt + at%heapSize, heapAt + 100,
			heapAt + 8<<shift + 100} {
			for _, exact := range []bool{false, true} {
				if got := m.At(addr, exact); got.Size > maxFrame ||
					got.Kind == bySize && got.Size < 8 {
					t.Errorf("%+v", got)
				}
			}
			m.Calls(addr)
			m.Pieces([]uint64{addr, addr + 1}, func(x JavaPiece) {
				if addr+1 < x.Start || addr >= x.End || x.End-x.Start > maxBlob ||
					len(x.Method.Class+x.Method.Name+x.Method.Signature) > 3*maxSymbol {
					t.Errorf("%+v at %#x", x, addr)
				}
			})
			for _, mark := range []uint64{markAt(m, addr), m.MarkInterpreted(addr),
				m.MarkInterpreted(method)} {
				if mark != 0 && mark&^Marked >= uint64(len(m.Codes())) {
					t.Errorf("%x of %d", mark, len(m.Codes()))
				}
			}
		}
	})
}
