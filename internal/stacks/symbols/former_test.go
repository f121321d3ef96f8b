package symbols

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
)

// smallLibrary makes a library whose code is all in its first page, and returns its file and where
// in it the code of a function of this name begins.
func smallLibrary(t *testing.T, function string) (f *os.File, at uint64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), function+".so")
	source := path + ".c"
	if err := os.WriteFile(source, []byte("int "+function+"(int n) { return n + 1; }\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	tool(t, "gcc", "-O1", "-shared", "-fPIC", "-nostdlib", "-Wl,-z,noseparate-code", "-o", path,
		source)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // it was only read
	e, err := elf.NewFile(f)
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := e.DynamicSymbols()
	for _, s := range symbols {
		if s.Name == function && s.Value < uint64(os.Getpagesize()) {
			return f, s.Value
		}
	}
	t.Fatal(symbols, err)
	return nil, 0
}

// remap puts a file, or memory of none, to the place of a page of code.
func remap(t *testing.T, place uint64, fd, flags uintptr) {
	t.Helper()
	if _, _, errno := unix.Syscall6(unix.SYS_MMAP, uintptr(place), uintptr(os.Getpagesize()),
		unix.PROT_READ|unix.PROT_EXEC, flags|unix.MAP_PRIVATE|unix.MAP_FIXED, fd,
		0); errno != 0 {
		t.Fatal(errno)
	}
}

// TestUnloaded: what is sampled in a library that is unloaded keeps its name, and code that comes
// to the same place gets its own, in each order.
func TestUnloaded(t *testing.T) {
	one, at := smallLibrary(t, "work_of_one")
	two, other := smallLibrary(t, "work_of_two")
	if at != other {
		t.Fatal("their functions lie in different places:", at, other)
	}
	place := mapCode(t, one)
	page := uintptr(os.Getpagesize())
	put := func(fd uintptr, flags uintptr) {
		t.Helper()
		remap(t, place, fd, flags)
	}
	r, _ := newLocal(t)
	image := r.image(os.Getpid())
	begin := uint64(monotonic.Now())
	sample := func(ms uint64) uint64 {
		return r.Chained(image, []uint64{place + at}, begin+ms*1_000_000)[0]
	}
	want := map[uint64]string{sample(1): "work_of_one"}
	put(two.Fd(), 0)
	want[sample(500)] = "work_of_one" // it is not known yet
	want[sample(1500)] = "work_of_two"
	put(^uintptr(0), unix.MAP_ANON)
	want[sample(3000)] = "[anonymous]"
	put(one.Fd(), 0)
	want[sample(4500)] = "work_of_one"
	put(two.Fd(), 0)
	want[sample(6000)] = "work_of_two"
	if _, _, errno := unix.Syscall(unix.SYS_MPROTECT, uintptr(place), page,
		unix.PROT_READ); errno != 0 {
		t.Fatal(errno)
	}
	want[sample(7500)] = "[unknown]"
	if len(want) != 6 {
		t.Errorf("%d addresses", len(want))
	}
	for addr, name := range want {
		if got := r.User(image, addr, false); got.Name != name {
			t.Errorf("%#x: %+v, want %s", addr, got, name)
		}
	}
	if len(r.Problems) > 0 {
		t.Errorf("%q", r.Problems)
	}
}

// TestUnloadedIsNoticed: where a sample's number of the mappings has changed they are soon read
// again, so that code which comes to the place of other code has its own name. A process that
// changes code all the time is read less often, and one that changes memory alone hardly ever.
func TestUnloadedIsNoticed(t *testing.T) {
	one, at := smallLibrary(t, "work_of_one")
	two, _ := smallLibrary(t, "work_of_two")
	place := mapCode(t, one)
	files, names := []*os.File{one, two}, []string{"work_of_one", "work_of_two"}
	r, _ := newLocal(t)
	image := r.image(os.Getpid())
	now, want, pauses := uint64(monotonic.Now()), map[uint64]string{}, []uint64{}
	r.Notice(image, 1)
	for range 2 { // the second reads no mappings, and knows when that is to be
		want[r.Chained(image, []uint64{place + at}, now)[0]] = names[0]
	}
	for i := range 40 {
		remap(t, place, files[(i+1)%2].Fd(), 0)
		r.Notice(image, uint16(i+2))
		soon := r.process(image, 0).soon
		pauses = append(pauses, soon-now)
		now = soon
		want[r.Chained(image, []uint64{place + at}, now)[0]] = names[(i+1)%2]
	}
	if len(want) != 41 || pauses[0] > shortestPause/4 || pauses[39] < 3*noticePause {
		t.Errorf("%d addresses; pauses of %v", len(want), pauses)
	}
	p := r.process(image, 0)
	for i := range 20 {
		r.Notice(image, uint16(1000+i))
		now = p.soon
		r.Chained(image, []uint64{place + at}, now)
	}
	if pause := p.soon - now; pause != longestPause {
		t.Errorf("a pause of %v after readings in vain", pause)
	}
	for addr, name := range want {
		if got := r.User(image, addr, false); got.Name != name {
			t.Errorf("%#x: %+v, want %s", addr, got, name)
		}
	}
}

// TestMadeBeforeALibrary: code that a virtual machine made keeps its name where a library came to
// its place later, be it still there or unloaded.
func TestMadeBeforeALibrary(t *testing.T) {
	library, at := smallLibrary(t, "work_of_a_library")
	dump, _ := mark(t, filepath.Join(t.TempDir(), "made.dump"), nil)
	d := newDump(binary.LittleEndian, uint32(os.Getpid()), 0)
	if _, err := dump.WriteAt(d.b, 0); err != nil {
		t.Fatal(err)
	}
	stays, goes := mapCode(t, nil), mapCode(t, nil)
	r, _ := newLocal(t)
	image := r.image(os.Getpid())
	begin := uint64(monotonic.Now())
	want := map[uint64]string{}
	sample := func(place, ms uint64, name string) {
		want[r.Chained(image, []uint64{place + at}, begin+ms*1_000_000)[0]] = name
	}
	sample(stays, 1, "made code")
	sample(goes, 2, "made code")
	remap(t, stays, library.Fd(), 0)
	remap(t, goes, library.Fd(), 0)
	sample(stays, 1500, "work_of_a_library")
	sample(goes, 1501, "work_of_a_library")
	remap(t, goes, ^uintptr(0), unix.MAP_ANON)
	sample(stays, 9000, "work_of_a_library") // reads the mappings again
	for _, place := range []uint64{stays, goes} {
		d.load(begin, uint32(os.Getpid()), place, 4096, "made code")
	}
	if _, err := dump.WriteAt(d.b, 0); err != nil {
		t.Fatal(err)
	}
	r.PerfMaps([]Image{image})
	for addr, name := range want {
		if got := r.User(image, addr, false); got.Name != name {
			t.Errorf("%#x: %+v, want %s", addr, got, name)
		}
	}
	if len(want) != 4 || len(r.process(image, 0).former) == 0 {
		t.Errorf("%d addresses, of a library that stayed", len(want))
	}
}

// TestDatesOfAnotherResolver: where the resolver is a new one, an address that is marked with a
// change that it has not seen has no name: what lies there now can be another library.
func TestDatesOfAnotherResolver(t *testing.T) {
	library, at := smallLibrary(t, "work_of_a_library")
	place := mapCode(t, library)
	r, _ := newLocal(t)
	image := r.image(os.Getpid())
	addr := r.Chained(image, []uint64{place + at}, uint64(monotonic.Now()))[0]
	for dated, want := range map[uint64]string{addr: "work_of_a_library",
		addr | changedBit | 1<<momentShift: "[unknown]"} {
		if got := r.User(image, dated, false); got.Name != want {
			t.Errorf("%#x: %+v, want %s", dated, got, want)
		}
	}
}

// TestStays: mappings that are cut, joined or read again have changed nothing, and the time to the
// next reading grows.
func TestStays(t *testing.T) {
	one, at := smallLibrary(t, "work_of_one")
	place := mapCode(t, one)
	r, _ := newLocal(t)
	image := r.image(os.Getpid())
	p := r.process(image, 0)
	now, reads := uint64(monotonic.Now()), 0
	for range 100 {
		now += shortestPause / 2
		next := p.next
		r.Chained(image, []uint64{place + at}, now)
		if p.next != next {
			reads++
		}
	}
	if p.changes != 0 || len(p.former) != 0 {
		t.Errorf("%d changes, %+v", p.changes, p.former)
	}
	if reads < 5 || reads > 8 { // after 0, 1, 2, 4, 8 and 16 s, and each 16 s
		t.Errorf("%d readings in 50 s", reads)
	}
}
