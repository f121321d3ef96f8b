package unwind

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// stream is debug information as the machine writes it.
type stream struct {
	b      []byte
	lowest uint32 // digit
}

func newStream(version uint64) *stream {
	s := &stream{b: []byte{0xff}} // no scope begins at 0
	if version >= firstZeroless {
		s.lowest = 1
	}
	return s
}

// number writes one as UNSIGNED5 says.
func (s *stream) number(v uint32) {
	low := 192 - s.lowest
	for n := 0; ; n++ {
		if v < low || n == 4 {
			s.b = append(s.b, byte(s.lowest+v))
			return
		}
		v -= low
		s.b = append(s.b, byte(192+v%64))
		v /= 64
	}
}

// scope writes one, and says where it begins.
func (s *stream) scope(caller, method, bytecode uint32) uint32 {
	at := uint32(len(s.b))
	s.number(caller)
	s.number(method)
	s.number(bytecode + 1)
	return at
}

// debugged gives the code at an address debug information: where the code of which scope ends.
func (p *process) debugged(
	code, version uint64, id uint32, places [][2]int32, scopes []byte, methods []uint64,
) {
	blob := code - blobHead
	word := binary.LittleEndian.PutUint64
	half := binary.LittleEndian.PutUint32
	b := p.regions[heapAt][blob-heapAt:]
	half(b[blobID:], id)
	list := []byte{}
	for _, x := range places {
		list = binary.LittleEndian.AppendUint32(list, uint32(x[0]))
		list = binary.LittleEndian.AppendUint32(list, uint32(x[1]))
		list = append(list, make([]byte, 8)...)
	}
	table := []byte{}
	for _, m := range methods {
		table = binary.LittleEndian.AppendUint64(table, m)
	}
	inside := uint64(blobHead + 512) // behind the code
	put := func(data []byte) (at uint64) {
		at = inside
		copy(b[at:], data)
		inside += uint64(len(data)+7) &^ 7
		return at
	}
	if version < 23 {
		half(b[blobMeta:], uint32(put(table)))
		word(b[blobScopes:], blob+put(scopes))
		half(b[blobPlaces:], uint32(put(list)))
		half(b[blobBehind:], uint32(inside))
		return
	}
	outside := p.room(uint64(16 + len(list) + len(scopes)))
	copy(p.regions[imageAt][outside+16-imageAt:], list)
	copy(p.regions[imageAt][outside+16+uint64(len(list))-imageAt:], scopes)
	word(b[blobData:], outside)
	half(b[blobLength:], uint32(16+len(list)+len(scopes)))
	half(b[blobPlaces:], 16)
	half(b[blobMoved:], uint32(16+len(list)))
	if version >= 25 {
		other := p.room(uint64(24 + len(table)))
		copy(p.regions[imageAt][other+24-imageAt:], table)
		word(b[blobOther:], other)
		half(b[blobReloc:], 24)
		return
	}
	at := put(table)
	half(b[blobReloc:], uint32(at-8)) // the data's
	binary.LittleEndian.PutUint16(b[blobMeta:], 8)
}

// inlining is a machine with a method into which two others were inlined, one in the other.
func inlining(version uint64) (p *process, code uint64, scopes [3]uint32) {
	p = newMachine(version)
	entry := p.add(40, "Interpreter", 0, -1, nops)
	code = p.add(0, "nmethod", 4, 12, make([]byte, 1024))
	methods := []uint64{p.method("app/Main", "outer", entry), p.method("app/Main", "middle", entry),
		p.method("java/lang/Math", "inner", entry)}
	p.runs(code, methods[0])
	s := newStream(version)
	scopes[0] = s.scope(0, 1, 5)
	for range 300 { // so that numbers have two bytes
		s.b = append(s.b, 0xff)
	}
	scopes[1] = s.scope(scopes[0], 2, 9)
	scopes[2] = s.scope(scopes[1], 3, 1<<15)
	places := [][2]int32{{-1, 0}, {20, int32(scopes[0])}, {40, int32(scopes[2])},
		{60, int32(scopes[1])}, {80, int32(scopes[2])}, {100, int32(scopes[2])}, {1 << 30, 0}}
	p.debugged(code, version, 7, places, s.b, methods)
	return p, code, scopes
}

// namesAt are the methods at an address, "inner middle outer".
func namesAt(m *HotSpot, addr uint64) string {
	m.Stack()
	var names []string
	for _, mark := range m.Marks(addr) {
		name := m.Codes()[mark&(1<<32-1)].Name
		names = append(names, name[strings.LastIndexByte(name, '.')+1:])
	}
	return strings.Join(names, " ")
}

// shifting is a process in which other code takes the place of a method's once its debug
// information has been read.
type shifting struct {
	*process
	blob  uint64
	reads int
}

func (s *shifting) ReadAt(b []byte, at int64) (int, error) {
	if s.reads++; s.reads > 1 {
		binary.LittleEndian.PutUint32(s.regions[heapAt][s.blob-heapAt+blobID:], 8)
	}
	return s.process.ReadAt(b, at)
}

// TestCodeReplacedMeanwhile: what the debug information of other code says is no method's. The
// check reads the memory anew, whatever was kept of it for the walk.
func TestCodeReplacedMeanwhile(t *testing.T) {
	p, code, _ := inlining(17)
	p.put(p.points, 1)
	s := &shifting{process: p, blob: code - blobHead}
	s.reads = -1 << 30
	m := openWith(t, s, p.symbols)
	if got := namesAt(m, code+90); got != "inner middle outer" { // from now on these are known
		t.Fatal(got)
	}
	s.reads = 0
	if got := namesAt(m, code+30); got != "outer" {
		t.Errorf("%q, after %d reads", got, s.reads)
	}
}

// TestInlined: what the code of a method is of is known for each instruction, in each version's
// layout; without the option only for calls, and in between what both neighbours are of.
func TestInlined(t *testing.T) {
	for _, version := range []uint64{17, 21, 23, 25} {
		for _, everywhere := range []bool{true, false} {
			p, code, _ := inlining(version)
			if !everywhere {
				p.put(p.points, 0)
			}
			m := p.open(t)
			for _, c := range []struct {
				at          uint64
				with, calls string
			}{
				{0, "outer", "outer"}, {11, "outer", "outer"}, // the frame is not complete
				{12, "outer", ""}, // the list's first place says nothing
				{19, "outer", "outer"}, {20, "inner middle outer", "outer"},
				{39, "inner middle outer", "inner middle outer"},
				{40, "middle outer", "middle outer"}, {60, "inner middle outer", "middle outer"},
				{80, "inner middle outer", "inner middle outer"},
				{99, "inner middle outer", "inner middle outer"},
				{100, "outer", "outer"}, {500, "outer", "outer"}, // behind the last place
			} {
				want := c.with
				if !everywhere {
					want = c.calls
				}
				if want == "" {
					want = "outer"
				}
				for range 2 { // also when it was kept
					if got := namesAt(m, code+c.at); got != want {
						t.Errorf("JDK %d, everywhere %v, %d: %q, want %q", version, everywhere,
							c.at, got, want)
					}
				}
			}
		}
	}
}

// TestInlinedReplaced: other code takes the place of code that was known, and has its own methods.
func TestInlinedReplaced(t *testing.T) {
	p, code, scopes := inlining(17)
	m := p.open(t)
	if got := namesAt(m, code+30); got != "inner middle outer" {
		t.Fatal(got)
	}
	s := newStream(17)
	other := p.method("app/Main", "other", p.add(40, "Interpreter", 0, -1, nops))
	p.runs(code, other)
	own := s.scope(0, 1, 0)
	p.debugged(code, 17, 8, [][2]int32{{-1, 0}, {200, int32(own)}, {1 << 30, 0}}, s.b,
		[]uint64{other})
	for range keptForCode {
		m.Stack()
	}
	if got := namesAt(m, code+30); got != "other" {
		t.Errorf("%q, scopes %v", got, scopes)
	}
}

// TestInlinedNonsense: of debug information that makes no sense only the compiled method is left.
func TestInlinedNonsense(t *testing.T) {
	for what, spoil := range map[string]func(p *process, code uint64, s *stream) [][2]int32{
		"a scope in itself": func(_ *process, _ uint64, s *stream) [][2]int32 {
			at := s.scope(uint32(len(s.b)), 1, 0)
			return [][2]int32{{-1, 0}, {200, int32(at)}, {1 << 30, 0}}
		},
		"a later scope": func(_ *process, _ uint64, s *stream) [][2]int32 {
			at := s.scope(uint32(len(s.b)+9), 1, 0)
			return [][2]int32{{-1, 0}, {200, int32(at)}, {1 << 30, 0}}
		},
		"no such scope": func(*process, uint64, *stream) [][2]int32 {
			return [][2]int32{{-1, 0}, {200, 1 << 20}, {1 << 30, 0}}
		},
		"a negative scope": func(*process, uint64, *stream) [][2]int32 {
			return [][2]int32{{-1, 0}, {200, -5}, {1 << 30, 0}}
		},
		"no method": func(_ *process, _ uint64, s *stream) [][2]int32 {
			return [][2]int32{{-1, 0}, {200, int32(s.scope(0, 0, 0))}, {1 << 30, 0}}
		},
		"a method far away": func(_ *process, _ uint64, s *stream) [][2]int32 {
			return [][2]int32{{-1, 0}, {200, int32(s.scope(0, 1<<30, 0))}, {1 << 30, 0}}
		},
		"another outermost method": func(_ *process, _ uint64, s *stream) [][2]int32 {
			return [][2]int32{{-1, 0}, {200, int32(s.scope(0, 2, 0))}, {1 << 30, 0}}
		},
		"endless inlining": func(_ *process, _ uint64, s *stream) [][2]int32 {
			at := uint32(0)
			for range maxInlined + 1 {
				at = s.scope(at, 1, 0)
			}
			return [][2]int32{{-1, 0}, {200, int32(at)}, {1 << 30, 0}}
		},
		"no places": func(*process, uint64, *stream) [][2]int32 { return nil },
	} {
		p, code, _ := inlining(17)
		entry := p.add(40, "Interpreter", 0, -1, nops)
		methods := []uint64{p.method("app/Main", "outer", entry),
			p.method("app/Main", "middle", entry)}
		p.runs(code, methods[0])
		s := newStream(17)
		places := spoil(p, code, s)
		p.debugged(code, 17, 9, places, s.b, methods)
		if got := namesAt(p.open(t), code+30); got != "outer" {
			t.Errorf("%s: %q", what, got)
		}
	}
	p, code, _ := inlining(17)
	p.put(p.version, 0)
	if got := namesAt(p.open(t), code+30); got != "outer" {
		t.Errorf("an unknown version: %q", got)
	}
}

// TestNumbers: each number is read as it was written, in as many bytes.
func TestNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, version := range []uint64{17, 20, 25} {
		m := &HotSpot{version: int64(version)}
		for n := range 4000 {
			v := random.Uint32() >> random.IntN(32)
			if n < 300 {
				v = uint32(n)
			}
			s := newStream(version)
			s.number(v)
			if got, length := m.number(s.b[1:]); got != v || length != len(s.b)-1 {
				t.Fatalf("JDK %d: %d in % x is read as %d in %d", version, v, s.b[1:], got, length)
			}
		}
	}
	if _, n := (&HotSpot{}).number(nil); n != 0 {
		t.Error("a number of nothing")
	}
}

// TestShared: the outermost methods of two lists.
func TestShared(t *testing.T) {
	for _, c := range [][3][]uint64{
		{{3, 2, 1}, {4, 2, 1}, {2, 1}}, {{3, 2, 1}, {1}, {1}}, {{1}, {3, 2, 1}, {1}},
		{{3, 2, 1}, nil, {}}, {{2}, {1}, {}}, {{2, 1}, {2, 1}, {2, 1}},
	} {
		if got := shared(c[0], c[1]); !slices.Equal(got, c[2]) {
			t.Errorf("%v and %v: %v", c[0], c[1], got)
		}
	}
}

// FuzzInlined: whatever the memory says, there are no more methods than the bound, each has a name,
// and the last is the compiled one.
func FuzzInlined(f *testing.F) {
	f.Add([]byte{}, uint8(0), uint16(30))
	f.Add([]byte{1, 0x3c, 0, 9, 1, 0, 3, 1}, uint8(1), uint16(50))
	f.Add([]byte{0, 9, 9, 9, 1, 0x58, 0, 0xff}, uint8(3), uint16(90))
	f.Fuzz(func(t *testing.T, changes []byte, which uint8, at uint16) {
		p, code, _ := inlining([]uint64{17, 21, 23, 25}[which%4])
		order := []uint64{imageAt, heapAt}
		for len(changes) >= 4 {
			r := p.regions[order[int(changes[0])%len(order)]]
			r[(int(changes[1])|int(changes[2])<<8)%len(r)] = changes[3]
			changes = changes[4:]
		}
		m, err := OpenHotSpot(p, func(name string) (uint64, bool) {
			at, ok := p.symbols[name]
			return at, ok
		})
		if err != nil {
			return
		}
		addr := code + uint64(at)
		m.Stack()
		marks := m.Marks(addr)
		if len(marks) > maxInlined {
			t.Errorf("%d methods", len(marks))
		}
		for _, mark := range marks {
			if n := mark & (1<<32 - 1); n >= uint64(len(m.Codes())) {
				t.Errorf("mark %x of %d", mark, len(m.Codes()))
			}
		}
		if outermost := m.find(addr).mark; len(marks) > 0 && marks[len(marks)-1] != outermost {
			t.Error(fmt.Sprintf("%x", marks), outermost)
		}
	})
}
