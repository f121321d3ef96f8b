package symbols

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tableOf makes a table of symbols with names.
func tableOf(symbols ...symbol) table {
	l, text := &list{}, words{}
	for _, s := range symbols {
		l.add(span{start: s.start, end: s.end, name: uint32(len(text))})
		text = append(append(text, s.name...), 0)
	}
	l.source(text)
	return l.done()
}

// TestTable compares with looking through the whole list for the last entry that covers an address.
func TestTable(t *testing.T) {
	const seed = 8
	r := rand.New(rand.NewPCG(seed, 0))
	for range 3000 {
		var list []symbol
		for i := range r.IntN(12) {
			start := r.Uint64N(60)
			list = append(list, symbol{start: start, end: start + 1 + r.Uint64N(30),
				name: fmt.Sprint("f", i)})
		}
		table := tableOf(list...)
		for addr := range uint64(100) {
			want, found := "", false
			for _, s := range list {
				if s.start <= addr && addr < s.end {
					want, found = s.name, true
				}
			}
			if got, ok := table.find(addr); got != want || ok != found {
				t.Fatalf("seed %d: %+v at %d: %q, want %q; table %+v", seed, list, addr, got, want,
					table)
			}
		}
	}
}

func TestSizeUnknown(t *testing.T) {
	table := tableOf(symbol{start: 10, end: 10, name: "a"}, symbol{start: 20, end: 20, name: "b"},
		symbol{start: 20, end: 20, name: "c"})
	for addr, want := range map[uint64]string{9: "", 10: "a", 19: "a", 20: "c", 1 << 40: "c"} {
		if got, _ := table.find(addr); got != want {
			t.Errorf("%d: %q, want %q", addr, got, want)
		}
	}
}

func TestPerfMap(t *testing.T) {
	text := `7f00 10 int java.lang.String.hashCode()
0x00007f10 0x10 java.util.List<a b> app.Main.run(int, java.lang.String)
7f20 10 flush_icache_stub
7f28 8 void app.Late.comer()
7f40 zz nonsense
nonsense
7f50 0 empty
7f60 ffffffffffff too.big()
ffffffffffffffff ff wraps.around()
7f70 10 ` + "bad\xff\x01name\n" + `7f80 10 LambdaForm$MH/0x01.invoke(int)
00007F0000001000 2c int32 [App] App.Work::Heavy(int32)
0x7f0000001030 10 instance void [App] App.Work::.ctor(int32)[OptimizedTier1]
0x7f0000001040 8 stub FixupPrecode<FixupPrecode>
`
	table, skipped, err := parsePerfMap(strings.NewReader(text))
	if err != nil || skipped != 5 {
		t.Errorf("%d lines skipped, want 5; %v", skipped, err)
	}
	for addr, want := range map[uint64]string{
		0x7f00: "java.lang.String.hashCode", 0x7f1f: "app.Main.run", 0x7f20: "flush_icache_stub",
		0x7f2f: "app.Late.comer",
		0x7f30: "", 0x7f71: "bad??name", 0x7f80: "LambdaForm$MH.invoke(int)",
		// .NET writes addresses in capitals and 16 digits, or with 0x; its names stay whole
		0x7f000000102b: "int32 [App] App.Work::Heavy(int32)",
		0x7f0000001030: "instance void [App] App.Work::.ctor(int32)[OptimizedTier1]",
		0x7f0000001047: "stub FixupPrecode<FixupPrecode>",
	} {
		if got, _ := table.find(addr); got != want {
			t.Errorf("%x: %q, want %q", addr, got, want)
		}
	}
}

func TestMaps(t *testing.T) {
	got := parseMaps(`7f20-7f30 r-xp 00001000 08:01 123                        /usr/lib/a file.so
1000-2000 rwxp 00000000 00:00 0 
2000-3000 rw-p 00000000 00:00 0 [heap]
3000-2000 r-xp 00000000 00:00 0 backwards
7fff-8fff r-xp 00000000 00:00 0                          [vdso]
xyz
`)
	want := []mapping{
		{Start: 0x1000, End: 0x2000},
		{Start: 0x7f20, End: 0x7f30, Offset: 0x1000, Path: "/usr/lib/a file.so",
			inode: "08:01 123"}, {Start: 0x7fff, End: 0x8fff, Path: "[vdso]"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for addr, want := range map[uint64]string{0xfff: "none", 0x1000: "", 0x2000: "none",
		0x7f2f: "/usr/lib/a file.so", 0x7f30: "none", 0x8000: "[vdso]"} {
		m, ok := find(got, addr)
		if ok != (want != "none") || ok && m.Path != want {
			t.Errorf("%x: %+v", addr, m)
		}
	}
}

func TestKernel(t *testing.T) {
	table, err := parseKernel(
		strings.NewReader(
			"ffff0010 T start\nffff0020 t inner\nffff0030 d data\n0 T hidden\n"+
				"ffff0040 T end\t[module]\nnonsense\n",
		), newBudget(),
	)
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[uint64]string{0xffff0010: "start", 0xffff003f: "inner",
		0xffff0041: "end", 5: ""} {
		if got, _ := table.find(addr); got != want {
			t.Errorf("%x: %q, want %q", addr, got, want)
		}
	}
}

// TestThisProgram finds a function of the running test, whose address the runtime reports.
func TestThisProgram(t *testing.T) {
	r, _ := newLocal(t)
	pc := addressOf(t)
	self := r.image(os.Getpid())
	r.saw(self, []uint64{pc})
	if f := r.User(self, pc, true); f.Kind != kindNative ||
		!strings.HasSuffix(f.Name, "symbols.addressOf") {
		t.Errorf("%+v", f)
	}
	if f := r.User(self, 4, false); f.Kind != kindUnresolved {
		t.Errorf("%+v", f)
	}
	if f := r.User(noImage, pc, false); f.Kind != kindUnresolved {
		t.Errorf("%+v", f)
	}
}

// TestGone: processes that have ended leave one problem that says so, with their number, and no
// failure.
func TestGone(t *testing.T) {
	r, _ := newLocal(t)
	gone := r.image(999999999)
	r.saw(gone, []uint64{1})
	r.saw(gone, []uint64{1})
	r.saw(r.image(999999998), []uint64{1})
	r.SayEnded()
	r.SayEnded()
	if len(r.Problems) != 1 || !strings.HasPrefix(r.Problems[0], "2 processes had ended") {
		t.Errorf("%q", r.Problems)
	}
}

// TestLyingPerfMap: a map that claims all addresses names neither a file's functions, nor the code
// of a file that could not be opened, nor anything of a process whose mappings are not known.
func TestLyingPerfMap(t *testing.T) {
	var text strings.Builder
	pc := addressOf(t)
	for start := pc &^ (1<<30 - 1); start < pc+1<<32; start += 1 << 30 {
		fmt.Fprintf(&text, "%x %x void evil.Map.claims()\n", start, 1<<30)
	}
	type claim struct {
		path string
		made bool
	}
	claims := []claim{{"", true}, {"[heap]", true}, {"//anon", true}, {"/dev/zero", true},
		{"/memfd:code (deleted)", true}, {"/tmp/code (deleted)", true}, {"/SYSV00000000", true},
		{"/opt/app/App.dll", true}, {"/usr/bin/program", false}, {"/usr/lib/libc.so.6", false},
		{"[vdso]", false}}
	r, dir := newLocal(t)
	self := r.image(os.Getpid())
	r.saw(self, []uint64{pc})
	p := r.processes[self]
	m, ok := find(p.maps, pc)
	if !ok {
		t.Fatal("its own code is not mapped")
	}
	own := *m
	p.maps = []mapping{own}
	at := func(i int) uint64 { return pc + 1<<31 + uint64(i)<<20 }
	for i, c := range claims {
		p.maps = append(p.maps, mapping{Start: at(i), End: at(i) + 4096, Path: c.path})
	}
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("perf-%d.map", os.Getpid())),
		[]byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	r.PerfMaps([]Image{self})
	if f := r.User(self, pc, true); f.Kind != kindNative ||
		!strings.HasSuffix(f.Name, "symbols.addressOf") {
		t.Errorf("code of a file: %+v", f)
	}
	claimed := func(f Frame) bool { return f.Kind == kindJIT && f.Name == "evil.Map.claims" }
	for i, c := range claims {
		if f := r.User(self, at(i)+5, false); claimed(f) != c.made {
			t.Errorf("code of %q: %+v", c.path, f)
		}
	}
	if f := r.User(self, at(len(claims)), false); !claimed(f) { // mapped since the last reading
		t.Errorf("code of no known mapping: %+v", f)
	}
	clear(r.cache)
	p.maps = nil
	if f := r.User(self, at(0)+5, false); f.Kind != kindUnresolved {
		t.Errorf("code of a process whose mappings are not known: %+v", f)
	}
}

// TestReplaced: an image keeps what was known of it when its process went on to another program,
// and the new one's map of code is not its own.
func TestReplaced(t *testing.T) {
	pc := addressOf(t)
	r, dir := newLocal(t)
	before, never := r.image(os.Getpid()), r.image(os.Getpid())
	r.saw(before, []uint64{pc})
	r.Replaced(before)
	r.Replaced(never)
	known := r.processes[before].maps
	r.saw(before, []uint64{4})
	r.saw(never, []uint64{pc})
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("perf-%d.map", os.Getpid())),
		[]byte("1 10 later\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	after := r.image(os.Getpid())
	r.saw(after, []uint64{pc})
	r.PerfMaps([]Image{before, never, after})
	if f := r.User(before, pc, true); f.Kind != kindNative || len(known) == 0 ||
		!slices.Equal(r.processes[before].maps, known) {
		t.Errorf("%+v", f)
	}
	if f := r.User(never, pc, true); f.Kind != kindUnresolved {
		t.Errorf("an image that was never read: %+v", f)
	}
	if a, b := r.User(before, 5, false), r.User(after, 5, false); a.Kind != kindUnresolved ||
		b.Name != "later" {
		t.Errorf("the new program's map: %+v before, %+v after", a, b)
	}
}

// TestAstray: return addresses that are none do not have the mappings read at each stack; an
// unknown address that is executed does.
func TestAstray(t *testing.T) {
	pc := addressOf(t)
	r, _ := newLocal(t)
	self := r.image(os.Getpid())
	r.saw(self, []uint64{pc})
	p := r.processes[self]
	reads := 0
	look := func(addrs ...uint64) {
		p.maps = p.maps[:len(p.maps):len(p.maps)]
		was := &p.maps[0]
		if r.saw(self, addrs); &p.maps[0] != was {
			reads++
		}
	}
	for range 127 + 3<<maxInVain {
		look(pc, 4)
	}
	if reads != 7+3 { // after 1, 2, 4, ... 64, and then each 64
		t.Errorf("%d readings, not 10", reads)
	}
	// One that was good for something has the next read again at once.
	p.maps = slices.DeleteFunc(p.maps, func(m mapping) bool { return m.Start <= pc && pc < m.End })
	for range 1 << maxInVain {
		look(p.maps[0].Start, pc)
	}
	reads = 0
	if look(p.maps[0].Start, 4); reads != 1 {
		t.Errorf("%d readings, not 1", reads)
	}
	reads = 0
	look(4, pc)
	look(4, pc)
	if reads != 2 {
		t.Errorf("%d readings, not 2", reads)
	}
}
