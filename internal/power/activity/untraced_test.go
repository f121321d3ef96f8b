package activity

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
)

// TestUntracedSwitches: some kernels do not trace the switch from certain threads. The CPU that is
// left by such a thread is idle afterwards, and not busy until its next thread comes. The other
// programs, which see all switches, say what is true.
func TestUntracedSwitches(t *testing.T) {
	seen, blind := openedPrograms(t, 0), openedPrograms(t, os.Getpid())
	if err := seen.seeIdle(); err != nil { // this kernel may leave out switches itself
		t.Fatal(err)
	}
	stop := make(chan struct{})
	defer close(stop)
	go devtest.WakeOften(stop)
	read := func(p *programs) CPUs {
		c, err := p.read(monotonic.Now)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for end := time.Now().Add(devtest.Hung); !blind.idled; read(blind) {
		if time.Now().After(end) {
			t.Skip("the CPUs are busy all the time")
		}
		time.Sleep(10 * time.Millisecond)
	}
	a, b := read(seen), read(blind)
	time.Sleep(time.Second)
	c, d := read(seen), read(blind)
	for _, x := range []struct {
		what        string
		true, found time.Duration
	}{
		{"busy", elapsed(a.Busy, c.Busy), elapsed(b.Busy, d.Busy)},
		{"at least one CPU busy", elapsed(a.Level[0], c.Level[0]), elapsed(b.Level[0], d.Level[0])},
	} {
		if diff := (x.found - x.true).Abs(); diff > 20*time.Millisecond {
			t.Errorf("%s: %v, and %v with all switches traced", x.what, x.found, x.true)
		}
		t.Logf("%s: %v, and %v with all switches traced", x.what, x.found, x.true)
	}
}

func openedPrograms(t *testing.T, hidden int) *programs {
	t.Helper()
	p, err := openPrograms(hidden)
	if errors.Is(err, ErrPermission) || errors.Is(err, ErrNotSupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
	return p
}
