package symbols

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
)

// find does what findCode does in one dump.
func (c *jitCodes) find(addr, at uint64, pid uint32) (name string, ok bool) {
	return findCode([]*jitCodes{c}, addr, at, pid)
}

// mapCode maps memory for code, of a file or of none.
func mapCode(t *testing.T, f *os.File) (addr uint64) {
	t.Helper()
	fd, flags := -1, unix.MAP_PRIVATE|unix.MAP_ANON
	if f != nil {
		fd, flags = int(f.Fd()), unix.MAP_PRIVATE
	}
	b, err := unix.Mmap(fd, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_EXEC, flags)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(b); err != nil {
			t.Error(err)
		}
	})
	return uint64(uintptr(unsafe.Pointer(&b[0])))
}

// mark maps a file as virtual machines mark that they write it.
func mark(t *testing.T, path string, content []byte) (f *os.File, addr uint64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // its content is of no use any more
	if _, err := f.Write(content); err != nil {
		t.Fatal(err)
	}
	return f, mapCode(t, f)
}

// TestDumpsOfOneProcess: of several dumps of a process the code counts that was made last before
// the sample, wherever it stands; a file that became a dump after it was mapped is one, whatever
// its name.
func TestDumpsOfOneProcess(t *testing.T) {
	pid := uint32(os.Getpid())
	dir := t.TempDir()
	a, _ := mark(t, filepath.Join(dir, "a.bin"), nil)
	b, _ := mark(t, filepath.Join(dir, "b.bin"), make([]byte, 4096))
	code := mapCode(t, nil)
	r, _ := newLocal(t)
	image := r.image(int(pid))
	begin := uint64(monotonic.Now())
	ms := func(n uint64) uint64 { return begin + n*1_000_000 }
	at := func(n uint64) uint64 { return r.Chained(image, []uint64{code + 8}, ms(n))[0] }
	early := at(1)
	head := func(f *os.File) *dumped {
		d := newDump(binary.LittleEndian, pid, 0)
		if _, err := f.WriteAt(d.b, 0); err != nil {
			t.Fatal(err)
		}
		return d
	}
	of := map[*os.File]*dumped{a: head(a), b: head(b)}
	r.refresh(r.process(image, 0)) // as when code lies in new memory
	addrs := []uint64{at(1000), at(2000), at(3000), at(4000)}
	of[a].load(ms(500), pid, code, 64, "one of a")
	of[b].load(ms(1500), pid, code, 64, "two of b")
	of[a].load(ms(2500), pid, code, 64, "three of a")
	of[b].load(ms(3500), pid, code, 64, "four of b")
	for f, d := range of {
		if _, err := f.WriteAt(d.b, 0); err != nil {
			t.Fatal(err)
		}
	}
	r.PerfMaps([]Image{image})
	for n, want := range []string{"one of a", "two of b", "three of a", "four of b"} {
		if got := r.User(image, addrs[n], false); got.Name != want {
			t.Errorf("sample %d: %+v, want %s", n, got, want)
		}
	}
	if got := r.User(image, early, false); got.Name != "one of a" { // it may be dated late
		t.Errorf("%+v", got)
	}
	if got := r.User(image, code+8, false); got.Kind == kindJIT {
		t.Errorf("a sample without a time: %+v", got)
	}
	for _, p := range r.Problems {
		t.Error(p)
	}
}

// TestDumpBegunAnew: a program that takes the place of another in its process begins the same dump
// anew. The code of each has the names that it wrote itself. Where one program does so, what it
// wrote before is lost, which is said.
func TestDumpBegunAnew(t *testing.T) {
	for _, execs := range []bool{true, false} {
		t.Run(fmt.Sprint(execs), func(t *testing.T) {
			pid := uint32(os.Getpid())
			f, _ := mark(t, filepath.Join(t.TempDir(), "jit-1.dump"), nil)
			code := mapCode(t, nil)
			r, _ := newLocal(t)
			begin := uint64(monotonic.Now())
			ms := func(n uint64) uint64 { return begin + n*1_000_000 }
			write := func(at uint64, names ...string) {
				d := newDump(binary.LittleEndian, pid, 0)
				for n, name := range names {
					d.load(ms(at+uint64(n)), pid, code, 64, name)
				}
				if err := f.Truncate(0); err != nil {
					t.Fatal(err)
				}
				if _, err := f.WriteAt(d.b, 0); err != nil {
					t.Fatal(err)
				}
			}
			sample := func(i Image, at uint64) uint64 {
				return r.Chained(i, []uint64{code + 8}, ms(at))[0]
			}
			before := r.image(int(pid))
			after := before
			write(100, "one", "of", "before")
			r.refresh(r.process(before, 0)) // as when code lies in new memory
			first := sample(before, 200)
			if execs {
				r.Replaced(before)
				after = r.image(int(pid))
				r.refresh(r.process(after, 0))
			}
			write(300, "after")
			second := sample(after, 400)
			r.PerfMaps([]Image{before, after})
			want := ""
			if execs {
				want = "before"
			}
			if got := r.User(before, first, false); got.Kind == kindJIT && got.Name != want ||
				execs && got.Name != want {
				t.Errorf("before: %+v, want %q", got, want)
			}
			if got := r.User(after, second, false); got.Name != "after" {
				t.Errorf("after: %+v", got)
			}
			said := slices.ContainsFunc(r.Problems, func(p string) bool {
				return strings.Contains(p, "was begun anew")
			})
			if said == execs {
				t.Errorf("problems: %q", r.Problems)
			}
		})
	}
}

// TestDumpBegunAnewAtLast: what a program lost by beginning its dump anew is said, even when
// another program takes its place before anybody looks.
func TestDumpBegunAnewAtLast(t *testing.T) {
	pid := uint32(os.Getpid())
	f, _ := mark(t, filepath.Join(t.TempDir(), "jit-1.dump"), nil)
	code := mapCode(t, nil)
	r, _ := newLocal(t)
	image := r.image(int(pid))
	long := newDump(binary.LittleEndian, pid, 0)
	long.load(uint64(monotonic.Now()), pid, code, 64, "lost")
	for _, b := range [][]byte{long.b, newDump(binary.LittleEndian, pid, 0).b} {
		if err := f.Truncate(0); err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt(b, 0); err != nil {
			t.Fatal(err)
		}
		if len(b) == len(long.b) {
			r.refresh(r.process(image, 0))
			r.Chained(image, []uint64{code + 8}, uint64(monotonic.Now()))
		}
	}
	r.Replaced(image)
	if len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "was begun anew") {
		t.Errorf("problems: %q", r.Problems)
	}
}

// TestDumpClocks: the times of a dump are brought to the samples' clock where they are of the
// day's; where they cannot be of that clock, they order nothing.
func TestDumpClocks(t *testing.T) {
	const day, made, now = uint64(1_700_000_000e9), uint64(5000e9), uint64(6000e9)
	c := clocks{from: made, until: now, real: int64(day)}
	for name, tt := range map[string]struct {
		first, second uint64
		want          string // "first" of a sample between them
	}{
		"monotonic":              {5001e9, 5900e9, "first"},
		"of the day":             {day + 5001e9, day + 5900e9, "first"},
		"none":                   {0, 0, ""},
		"all at once":            {5500e9, 5500e9, ""},
		"since the start":        {1e9, 900e9, ""},
		"ahead":                  {5001e9, 6001e9, ""},
		"of the day, before":     {day + 4000e9, day + 5900e9, ""},
		"of the processor":       {1 << 62, 1<<62 + 1, ""},
		"in us":                  {5001e6, 5900e6, ""},
		"of the day, in the end": {5001e9, day + 5900e9, ""},
	} {
		d := newDump(binary.LittleEndian, 7, 0)
		d.load(tt.first, 7, 0x1000, 16, "first")
		d.load(tt.second, 7, 0x1000, 16, "second")
		d.load(tt.second, 7, 0x2000, 16, "alone")
		records, err := parseBytes(d.b)
		if err != nil {
			t.Fatal(err)
		}
		records.onClock(c)
		codes := records.arrange()
		if got, _ := codes.find(0x1000, 5400e9, 7); got != tt.want || codes.foreign == (got != "") {
			t.Errorf("%s: %q, %v", name, got, codes.foreign)
		}
		if got, _ := codes.find(0x2000, 5950e9, 7); got != "alone" {
			t.Errorf("%s: %q, want alone", name, got)
		}
	}
}

// TestDumpAtOnce: a dump whose records have one time is of the samples' clock as long as no code
// lies over other code.
func TestDumpAtOnce(t *testing.T) {
	const at = 5500e9
	c := clocks{from: 5000e9, until: 6000e9}
	for name, tt := range map[string]struct {
		rest    func(*dumped) // beside the code at 0x1000 to 0x1010
		foreign bool
		want    string // what lay there
	}{
		"closed":      {func(d *dumped) { d.record(codeClose, 5900e9, nil) }, false, "one"},
		"beside":      {func(d *dumped) { d.load(at, 7, 0x1010, 16, "two") }, false, "one"},
		"moved away":  {func(d *dumped) { d.move(at, 7, 0x2000, 0x3000, 16) }, false, "one"},
		"the child's": {func(d *dumped) { d.load(at, 8, 0x1000, 16, "two") }, false, "one"},
		"over it":     {func(d *dumped) { d.load(at, 7, 0x100f, 16, "two") }, true, "one"},
		"the same":    {func(d *dumped) { d.load(at, 7, 0x1000, 16, "two") }, true, ""},
	} {
		d := newDump(binary.LittleEndian, 7, 0)
		d.load(at, 7, 0x1000, 16, "one")
		tt.rest(d)
		records, err := parseBytes(d.b)
		if err != nil {
			t.Fatal(err)
		}
		records.onClock(c)
		got, _ := records.arrange().find(0x1000, at+1, 7)
		if got != tt.want || records.foreign != tt.foreign {
			t.Errorf("%s: %q, foreign %v", name, got, records.foreign)
		}
	}
}

// TestEmptyFiles: where a process maps more files with nothing in them than are held open, a
// sentence says that a dump may be among the others.
func TestEmptyFiles(t *testing.T) {
	r, _ := newLocal(t)
	dir := t.TempDir()
	for n := range maxDumps / 2 {
		mark(t, filepath.Join(dir, fmt.Sprintf("%d.bin", n)), nil)
	}
	image := r.image(os.Getpid())
	r.Prepare(image)
	if len(r.Problems) != 0 || len(r.dumps) != maxDumps/2 {
		t.Errorf("%d, %q", len(r.dumps), r.Problems)
	}
	mark(t, filepath.Join(dir, "more.bin"), nil)
	r.refresh(r.process(image, 0))
	const want = "the program has mapped more than 64 jitdumps and files in which there was " +
		"nothing yet: if one of the others has become a jitdump, its code has no names"
	if len(r.Problems) != 1 || r.Problems[0] != want {
		t.Errorf("%q, want %q", r.Problems, want)
	}
}

// TestDumpOfProcess: a dump that a process has mapped names what lay at an address when a sample
// was taken, also when it is written and removed later. Its mapping is no library.
func TestDumpOfProcess(t *testing.T) {
	pid := uint32(os.Getpid())
	path := filepath.Join(t.TempDir(), fmt.Sprintf("jit-%d.dump", pid))
	f, marker := mark(t, path, nil) // nothing has been written yet
	code := mapCode(t, nil)
	r, _ := newLocal(t)
	image := r.image(int(pid))
	begin := uint64(monotonic.Now())
	ms := func(n uint64) uint64 { return begin + n*1_000_000 }
	at := func(n uint64) uint64 { return r.Chained(image, []uint64{code + 8}, ms(n))[0] }
	before, early, late := at(1000), at(1500), at(3000)
	if before == late || early&addressMask != code+8 {
		t.Errorf("%#x, %#x, %#x", before, early, late)
	}
	r.process(image, 0).gone = true // it has executed another program since
	d := newDump(binary.LittleEndian, pid, 0)
	d.load(ms(900), pid, code, 64, "one")
	d.load(ms(2000), pid, code, 64, "another")
	d.load(ms(2000), pid, marker, 64, "of the marker")
	if _, err := f.Write(d.b[:len(d.b)-10]); err != nil { // it is about to write more
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r.PerfMaps([]Image{image})
	for addr, want := range map[uint64]string{before: "one", early: "one", late: "another"} {
		if got := r.User(image, addr, false); got != (Frame{Name: want, Module: "[jit]",
			Kind: kindJIT}) {
			t.Errorf("%#x: %+v", addr, got)
		}
	}
	for _, p := range r.Mapped(image, 1000) {
		if strings.HasPrefix(p.Module, "jit-") || p.Start == marker {
			t.Errorf("%+v", p)
		}
	}
	if r.Maps(image, filepath.Base(path)) {
		t.Error("the dump is a library")
	}
	if got := r.Switches(image); len(got) != 1 || got[0] != "jitdump" {
		t.Error(got)
	}
	for _, p := range r.Problems {
		t.Error(p)
	}
}

// TestDumpsOfOthers: which mapped files are taken for dumps.
func TestDumpsOfOthers(t *testing.T) {
	dump := newDump(binary.LittleEndian, 1, 0).b
	for _, c := range []struct {
		name    string
		content string
		want    bool
	}{
		{"jit-1.dump", "", true},
		{"jit-4294967295.dump (deleted)", "JiT", true},
		{"jit-1.dump", string(dump), true},
		{"jit-1.dump", "\x7fELF\x02", false},
		{"jit-1.dump", "other", false},
		{"jit-x.dump", "", false},
		{"jit-.dump", "", false},
		{"jit-1.dump.so", "", false},
		{"libjit-1.dump", "", false},
		{"libanything.so", string(dump), true},
		{"libanything.so", "\x4a\x69\x54\x44\x00\x00", true}, // of the other byte order
	} {
		if got := isDump(strings.NewReader(c.content), "/tmp/"+c.name); got != c.want {
			t.Errorf("%s %.8q: %v", c.name, c.content, got)
		}
	}
}

// TestDumpProblems: what cannot be read of a dump is one sentence, and nothing complains that it is
// no library.
func TestDumpProblems(t *testing.T) {
	pid := uint32(os.Getpid())
	bad := newDump(binary.LittleEndian, pid, 0)
	bad.order.(binary.ByteOrder).PutUint32(bad.b[4:], 9)
	path := filepath.Join(t.TempDir(), "jit-1.dump")
	mark(t, path, bad.b)
	r, _ := newLocal(t)
	image := r.image(int(pid))
	r.Prepare(image)
	r.PerfMaps([]Image{image})
	r.PerfMaps([]Image{image})
	want := "read jitdump " + path + ": it is of version 9, and ebb reads version 1: " +
		"unsupported operation"
	if len(r.Problems) != 1 || r.Problems[0] != want {
		t.Errorf("%q, want %q", r.Problems, want)
	}
}

// TestMoments: there are few moments in a long run, and they are short where a dump grows.
func TestMoments(t *testing.T) {
	const second = 1_000_000_000
	for name, c := range map[string]struct {
		seconds uint64
		grows   bool
		most    int
		longest uint64 // parts of the whole, in thousandths
	}{
		"short":           {2, false, 200, 10},
		"a minute":        {60, false, 470, 70},
		"a growing hour":  {3600, true, 1200, 9},
		"an hour":         {3600, false, 560, 70},
		"a growing month": {3600 * 24 * 30, true, 2100, 9},
	} {
		var m moments
		size := int64(0)
		grown := func() int64 {
			if c.grows {
				size++
			}
			return size
		}
		step := max(second/100, c.seconds*second/100_000)
		for at := uint64(second); at < (c.seconds+1)*second; at += step {
			m.at(at, grown)
		}
		if len(m.list) > c.most {
			t.Errorf("%s: %d moments", name, len(m.list))
		}
		for _, x := range m.list {
			if long := x.last - x.first; long*1000 > c.longest*c.seconds*second {
				t.Errorf("%s: a moment of %d ms", name, long/1_000_000)
			}
		}
		if n := m.at(second+1, grown); n != 1 {
			t.Errorf("%s: a late sample is of moment %d", name, n)
		}
	}
}
