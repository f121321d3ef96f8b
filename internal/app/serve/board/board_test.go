package board

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/units"
)

// pair is a writer and the board as another process has it.
func pair(t *testing.T) (*Writer, *Board) {
	t.Helper()
	b, f, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read, err := Open(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	return NewWriter(b, 5, -1), read
}

// TestRecords: what is written is read, to the last field; what was never written is not there.
func TestRecords(t *testing.T) {
	w, b := pair(t)
	if s, ok := b.Service(); !ok || s.Began != 5 || s.Group != -1 || s.State != Starting {
		t.Errorf("%+v, %v", s, ok)
	}
	if _, ok := b.Tenant(0); ok {
		t.Error("a tenant that nobody wrote")
	}
	long := strings.Repeat("n", 64)
	w.Sit(7, long, "slowdown", 0.05)
	x := w.Tenant(7)
	want := Tenant{Name: long, Objective: "slowdown", Budget: 0.05, Governed: true, Present: true,
		Failed: true, Begins: 3, Reference: 1e9, Excess: 2e6, Busy: time.Second,
		Short: Account{1, 2}, Long: Account{3, 4}, At: 99, Wish: 2e9, Got: 3e9,
		Reason: "energy-optimal", Quanta: [results]uint64{1, 2, 3, 4}, EnergyKnown: true,
		Borne: 5, Caused: 6, Saved: 7}
	*x = want
	called := 0
	w.Flush(1, func(n arbiter.Tenant, _ *Tenant) { called += int(n) })
	if got, ok := b.Tenant(0); !ok || got != want || called != 7 {
		t.Errorf("%+v, %v, want %+v", got, ok, want)
	}
	d := w.Domain(1)
	*d = Domain{Asked: 2e9, At: 4, By: long, Reason: "budget", Reported: 3e9, Refused: true,
		Busy: 77, Cycles: 1 << 63, Counted: true}
	w.StoreDomains()
	if got, ok := b.Domain(1); !ok || got != *d {
		t.Errorf("%+v, %v, want %+v", got, ok, *d)
	}
	if w.Domain(maxDomains) != nil {
		t.Error("a domain too many")
	}
	one := Decision{Tenant: long, At: 1, Took: 2, Busy: 3, Delivered: 4, Effective: 5, Chosen: 6,
		Ran: 7, Highest: 8, Slack: -9, Reason: "probe", Result: Hole, Lost: 10,
		Late: 12}
	for range Decisions + 1 {
		w.Decide(&one)
	}
	w.Say(11)
	if got, ok := b.Decision(0); !ok || got != one {
		t.Errorf("%+v, %v, want %+v", got, ok, one)
	}
	if s, ok := b.Service(); !ok || s.At != 11 || s.Decided != Decisions+1 || s.Tenants != 1 ||
		s.Domains != 2 {
		t.Errorf("%+v, %v", s, ok)
	}
}

// TestReaderCannotWrite: neither by its memory nor by the file, whose size stays.
func TestReaderCannotWrite(t *testing.T) {
	_, f, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("x"), 0); err == nil {
		t.Error("the file was written")
	}
	if _, err := unix.Mmap(int(f.Fd()), 0, memorySize, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED); err == nil {
		t.Error("it was mapped to write")
	}
	if err := f.Truncate(0); err == nil {
		t.Error("it was made shorter")
	}
	other, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := Open(int(other.Fd())); err == nil {
		t.Error("another file is a board")
	}
}

// TestSums: they go on over a change of the set, a new beginning and a tenant that comes again, and
// never fall.
func TestSums(t *testing.T) {
	w, b := pair(t)
	none := func(arbiter.Tenant, *Tenant) {}
	w.Sit(1, "a", "slowdown", 0.1)
	w.Ran(1, Account{Took: 11e6, Highest: 10e6})
	w.Imposed(1, 100, 50)
	w.Saved(1, 200)
	w.Meter("package-0", "package", "powercap", 7e9, units.Instant(time.Second))
	for i, change := range []func(){
		func() { w.Leave(1); w.Sit(9, "a", "slowdown", 0.2) }, // another budget
		func() { w.Sit(2, "a", "fixed", 0) },                  // before its old number has left
		func() { w.Clear(); w.Sit(1, "a", "slowdown", 0.1) },
	} {
		change()
		n := arbiter.Tenant([]int{9, 2, 1}[i])
		w.Tenant(n)
		w.Ran(n, Account{Took: 11e6, Highest: 10e6})
		w.Imposed(n, 10, 5)
		w.Saved(n, -5)
		w.Saved(n, 20)
		w.Saved(n, 7)      // ebb's own work drew more
		w.Imposed(n, 3, 2) // of a model that has learned
		w.Flush(9, none)
		x, ok := b.Tenant(0)
		more := float64(i + 2)
		if !ok || x.Reference != more*10e6 || x.Excess != more*1e6 ||
			x.Borne != units.Energy(100+10*(i+1)) || x.Caused != units.Energy(50+5*(i+1)) ||
			x.Saved != units.Energy(200+20+7*i) { // what a change finds lost is made up for first
			t.Errorf("change %d: %+v", i, x)
		}
	}
	// Time that was won counts against the next that is lost, and not without a bound.
	w.Ran(1, Account{Took: 0, Highest: 5e9})
	w.Ran(1, Account{Took: 0.9e9, Highest: 0})
	before := w.Tenant(1).Excess
	w.Ran(1, Account{Took: 0.2e9, Highest: 0})
	if got := w.Tenant(1).Excess - before; got < 0.0999e9 || got > 0.1001e9 {
		t.Errorf("%v ns of excess", got)
	}
	w.Meter("package-0", "package", "powercap", 1e9, units.Instant(3*time.Second))
	w.Meter("package-0", "package", "powercap", 3e9, units.Instant(4*time.Second))
	if z, ok := b.Zone(0); !ok || z.Energy != 10e9 || z.Power != 2 {
		t.Errorf("%+v, %v", z, ok)
	}
	w.Leave(1)
	w.Leave(1)
	if x, _ := b.Tenant(0); x.Governed || w.Tenant(1) != nil {
		t.Error("it has not left")
	}
}

// TestPass: the sums of a tenant that passes are the others' when it leaves, so that the sum of all
// does not fall, and the next of its name begins at 0 in the same record.
func TestPass(t *testing.T) {
	w, b := pair(t)
	none := func(arbiter.Tenant, *Tenant) {}
	all := func() (reference, excess float64, quanta uint64, some int) {
		for i := range b.words[tenantsAt:] {
			if i > MaxTenants {
				break
			}
			if x, ok := b.Tenant(i); ok {
				reference, excess = reference+x.Reference, excess+x.Excess
				quanta += x.Quanta[Decided]
				some++
			}
		}
		return
	}
	d := w.Domain(0)
	for i := range 3 * MaxTenants {
		n := arbiter.Tenant(1 + i%MaxTenants)
		w.Sit(n, "lease.0.1", "slowdown", 0.1)
		w.Pass(n)
		w.Tenant(n).Quanta[Decided]++
		w.Ran(n, Account{Took: 11, Highest: 10})
		d.By, d.Reason = "lease.0.1", "budget"
		if i%2 == 0 {
			w.Flush(9, none)
		}
		w.Leave(n)
		if d.By != "" {
			t.Fatalf("the clock is %s's yet", d.By)
		}
	}
	w.Flush(9, none)
	n := 3 * MaxTenants
	if r, e, q, some := all(); r != float64(10*n) || e != float64(n) || q != uint64(n) ||
		some != 2 {
		t.Errorf("%v, %v, %d of %d leases in %d records", r, e, q, n, some)
	}
	w.Sit(5, "a", "slowdown", 0.1)
	w.Ran(5, Account{Took: 11, Highest: 10})
	w.Leave(5)
	w.Sit(6, "a", "slowdown", 0.1)
	w.Flush(9, none)
	if x, _ := b.Tenant(0); x.Name != "a" || x.Reference != 10 {
		t.Errorf("one that does not pass: %+v", x)
	}
}

// TestManyTenants: the names are bounded. One that has been away longest gives up its record, and
// its sums are the others'.
func TestManyTenants(t *testing.T) {
	w, b := pair(t)
	for i := range MaxTenants + 10 {
		n := arbiter.Tenant(1 + i%MaxTenants)
		w.Sit(n, fmt.Sprint("t", i), "fixed", 0)
		w.Ran(n, Account{Took: 2e6, Highest: 1e6})
		w.Leave(n)
	}
	o, ok := b.Tenant(Other)
	if !ok || o.Name != "other" || o.Reference != 10e6 || o.Excess != 10e6 {
		t.Errorf("%+v, %v", o, ok)
	}
	names := map[string]bool{}
	for i := range MaxTenants {
		x, _ := b.Tenant(i)
		names[x.Name] = true
	}
	if len(names) != MaxTenants || names["t9"] || !names["t10"] || len(w.records) != MaxTenants {
		t.Errorf("%d names, %d records", len(names), len(w.records))
	}
	w.Sit(MaxTenants+2, "beyond", "fixed", 0)
	if w.Tenant(MaxTenants+2) != nil {
		t.Error("a number beyond all")
	}
}

// TestBounded: a flush writes so many, and the others next.
func TestBounded(t *testing.T) {
	w, _ := pair(t)
	for n := range arbiter.Tenant(10) {
		w.Sit(n+1, fmt.Sprint(n), "fixed", 0)
		w.Tenant(n + 1)
		w.Tenant(n + 1)
	}
	var seen []int
	for range 4 {
		w.Flush(4, func(n arbiter.Tenant, _ *Tenant) { seen = append(seen, int(n)) })
	}
	if !slices.Equal(seen, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
		t.Errorf("written: %v", seen)
	}
}

// TestWhole: a reader sees each record as it was written at one time, however often it is written.
func TestWhole(t *testing.T) {
	w, b := pair(t)
	w.Sit(1, "a", "fixed", 0)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for i := range 50_000 {
			x := w.Tenant(1)
			x.Reference, x.Excess, x.Caused = float64(i), float64(i), units.Energy(i)
			w.Flush(1, func(arbiter.Tenant, *Tenant) {})
		}
	}()
	reads := 0
	for {
		if x, ok := b.Tenant(0); ok {
			reads++
			if x.Reference != x.Excess || x.Caused != units.Energy(x.Reference) {
				t.Fatalf("of two writings: %+v", x)
			}
		}
		select {
		case <-over:
			t.Log(reads, "readings")
			return
		default:
		}
	}
}

// TestWritesAllocateNothing: the loop that governs calls them.
func TestWritesAllocateNothing(t *testing.T) {
	w, _ := pair(t)
	w.Sit(1, "a", "fixed", 0)
	w.Domain(0)
	d := Decision{Tenant: "a", Reason: "budget"}
	complete := func(arbiter.Tenant, *Tenant) {}
	if n := testing.AllocsPerRun(100, func() {
		w.Tenant(1).Begins++
		w.Ran(1, Account{2, 1})
		w.Decide(&d)
		w.Flush(9, complete)
		w.StoreDomains()
		w.Say(1)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestMayLease: a user who is not there may have a lease for sure not, unless there was no room for
// all who may; and where nothing was written nothing is sure.
func TestMayLease(t *testing.T) {
	const room = allowedRecords * usersOfRecord
	users := make([]uint32, room+1)
	for i := range users {
		users[i] = uint32(1000 + i)
	}
	for n, want := range map[int][2]bool{0: {false, true}, 1: {false, true}, room: {false, true},
		room + 1: {false, false}} {
		w, b := pair(t)
		if may, sure := b.MayLease(7); may || sure {
			t.Errorf("before: %t, %t", may, sure)
		}
		w.Allow(users[:n])
		may, sure := b.MayLease(7)
		if got := [2]bool{may, sure}; got != want {
			t.Errorf("of %d users another: %t", n, got)
		}
		if n == 0 {
			continue
		}
		last := users[min(n, room)-1]
		if may, sure := b.MayLease(last); !may || !sure {
			t.Errorf("of %d users %d: %t, %t", n, last, may, sure)
		}
	}
}

// FuzzBoard: whatever the memory has, it is read within bounds.
func FuzzBoard(f *testing.F) {
	f.Add([]byte{2, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, text []byte) {
		b := &Board{words: make([]uint64, words)}
		for i := range b.words {
			if len(text) >= 8 {
				b.words[i] = binary.LittleEndian.Uint64(text[8*(i%(len(text)/8)):])
			}
		}
		s, _ := b.Service()
		if max(s.Tenants, s.Zones, s.Domains) > MaxTenants || s.Zones > maxZones ||
			s.Domains > maxDomains || min(s.Tenants, s.Zones, s.Domains) < 0 {
			t.Fatalf("%+v", s)
		}
		for i := range 3 {
			b.Tenant(i)
			b.Domain(i)
			b.Zone(i)
			b.Decision(i)
		}
		if x, ok := b.Tenant(Other); ok && len(x.Name) > 64 {
			t.Errorf("a name of %d bytes", len(x.Name))
		}
	})
}

// BenchmarkPost is what one decision and the writing of its tenant cost the loop.
func BenchmarkPost(b *testing.B) {
	mem, f, err := New()
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := NewWriter(mem, 0, -1)
	w.Sit(1, "web", "slowdown", 0.05)
	d := Decision{Tenant: "web", Reason: "budget"}
	b.Run("decision", func(b *testing.B) {
		for b.Loop() {
			w.Ran(1, Account{2, 1})
			w.Decide(&d)
		}
	})
	b.Run("tenant", func(b *testing.B) {
		for b.Loop() {
			w.Tenant(1)
			w.Flush(1, func(arbiter.Tenant, *Tenant) {})
		}
	})
}
