package symbols

import (
	"debug/elf"
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
		if _, _, errno := unix.Syscall6(unix.SYS_MMAP, uintptr(place), page,
			unix.PROT_READ|unix.PROT_EXEC, flags|unix.MAP_PRIVATE|unix.MAP_FIXED, fd,
			0); errno != 0 {
			t.Fatal(errno)
		}
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
// changes code all the time is read less often, and one that changes none.
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
		if _, _, errno := unix.Syscall6(unix.SYS_MMAP, uintptr(place), uintptr(os.Getpagesize()),
			unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_FIXED,
			files[(i+1)%2].Fd(), 0); errno != 0 {
			t.Fatal(errno)
		}
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
	if pause := p.soon - now; pause < shortestPause {
		t.Errorf("a pause of %v after readings in vain", pause)
	}
	for addr, name := range want {
		if got := r.User(image, addr, false); got.Name != name {
			t.Errorf("%#x: %+v, want %s", addr, got, name)
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
