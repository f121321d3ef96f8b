package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// watching is a supervisor that takes what a service says, and keeps it from going on where the
// test is not there to hear it.
type watching struct {
	ready  chan string
	leases *leaseDesk
	begin  func() // called before each beginning, and while it goes on
}

func (w *watching) Ready(status string)     { w.ready <- status }
func (w *watching) Reloading()              {}
func (w *watching) Stopping()               {}
func (w *watching) Alive()                  { w.begin() }
func (w *watching) Patience() time.Duration { return 0 }

// serviceInTest runs a service in shadow mode until the test ends. Give has the set that it reads.
func serviceInTest(t *testing.T, w *watching, sysfs string, give *atomic.Pointer[config.Tenants],
	messages io.Writer,
) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	defaults := run.NewSettings()
	s := &defaults
	s.Roots = part.Roots{Sysfs: sysfs, Proc: "/proc", RunDir: filepath.Join(t.TempDir(), "run")}
	s.Shadow, s.Tenants.File = true, "tenants.d"
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- governTenants(ctx, s, &serving{Supervisor: w, Leases: w.leases,
			Load: func() (config.Tenants, error) { return *give.Load(), nil }},
			command.Stdio{Out: io.Discard, Err: messages})
		close(w.ready)
	}()
	t.Cleanup(func() {
		stop()
		for range w.ready { // what it says to its end
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// says waits until the service is ready with a status.
func (w *watching) says(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-w.ready:
		if got != want {
			t.Fatalf("ready with %q, want %q", got, want)
		}
	case <-time.After(devtest.Hung):
		t.Fatalf("it is not ready with %q", want)
	}
}

// reload has the service read another set.
func reload(t *testing.T, give *atomic.Pointer[config.Tenants], set config.Tenants) {
	t.Helper()
	give.Store(&set)
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
}

// setOf is a set of tenants that never come, from one number up to another.
func setOf(rest config.Rest, from, to int) (set config.Tenants) {
	set.Rest = rest
	for i := from; i <= to; i++ {
		set.Tenants = append(set.Tenants, config.Tenant{Name: fmt.Sprint("t", i),
			Unit: fmt.Sprintf("ebb-test-%d.service", i)})
	}
	return set
}

// TestServiceGoesBack: where a reload needs a new beginning and the machine refuses it, the service
// goes back to the set that it governed at that time, not to the one with which it had begun.
func TestServiceGoesBack(t *testing.T) {
	devtest.Cgroup(t) // or there is no hierarchy for a unit
	sysfs := devtest.Tree(t, devtest.Desktop)
	away := sysfs + "-away"
	var fault atomic.Bool
	w := &watching{ready: make(chan string)}
	// The tree is gone at the first beginning after a fault, and back at the next.
	w.begin = func() {
		if fault.CompareAndSwap(true, false) {
			_ = os.Rename(sysfs, away)
		} else {
			_ = os.Rename(away, sysfs)
		}
	}
	var give atomic.Pointer[config.Tenants]
	first := setOf(config.RestHighest, 1, 1)
	give.Store(&first)
	var said strings.Builder
	serviceInTest(t, w, sysfs, &give, &said)
	w.says(t, "governs 1 tenant")
	reload(t, &give, setOf(config.RestHighest, 1, 3))
	w.says(t, "governs 3 tenants, 2 new, 0 changed, 0 gone")
	fault.Store(true)
	reload(t, &give, setOf(config.RestBackground, 1, 2))
	w.says(t, "governs 3 tenants")
	t.Cleanup(func() {
		if n := strings.Count(said.String(), "stay as they were: --sysfs"); n != 1 {
			t.Errorf("said %d times why: %s", n, said.String())
		}
	})
}

// TestServiceOutOfNumbers: where more tenants come at once than there are numbers that nobody has
// or had lately, the set begins anew, and one that is wrong does not.
func TestServiceOutOfNumbers(t *testing.T) {
	devtest.Cgroup(t)
	first := setOf(config.RestHighest, 1, 3)
	locations, _, err := run.Locate(first.Tenants)
	if err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Calibrate()
	states, err := c.States.Of(cpufreq.NewShadow("a test").States())
	if err != nil {
		t.Fatal(err)
	}
	k := &seats{tenant: func(n arbiter.Tenant, _ *config.Tenant) many.Tenant {
		return many.Tenant{Number: n, Config: c.Governor(states)}
	}}
	k.seatAll(first, locations)
	k.free, k.exits = k.free[len(k.free)-2:], func(arbiter.Tenant) bool { return false }
	more := setOf(config.RestHighest, 2, 6)
	if anew, err := k.take(more, nil); !anew || err != nil {
		t.Errorf("more than there are numbers: anew %t, %v", anew, err)
	}
	more.Tenants[4].Unit, more.Tenants[4].Cgroup = "", "/nowhere/../.."
	if _, err := k.take(more, nil); err == nil || !strings.Contains(err.Error(), "t6") {
		t.Errorf("a wrong one among them: %v", err)
	}
	if len(k.free) != 2 || len(k.taken) != 3 || len(k.set.Tenants) != 3 {
		t.Errorf("what could not be taken has changed what is there: %+v", k)
	}
}

// TestServiceWithdrawn: a service whose clocks were put back does not say that it governs, and
// gives no lease, until it has begun anew.
func TestServiceWithdrawn(t *testing.T) {
	mem, f, err := board.New()
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	w := &watching{ready: make(chan string), leases: newLeaseDesk()}
	s := &service{serving: &serving{Supervisor: w, Leases: w.leases,
		Board: board.NewWriter(mem, 0, -1)}, std: command.Stdio{Err: io.Discard}}
	s.Board.Service().State = board.Governing
	k := &seats{set: setOf(config.RestHighest, 1, 1), withdrawn: make(chan error, 1),
		between: func(func()) {}}
	over, next := make(chan struct{}), make(chan config.Tenants, 1)
	go func() { next <- s.reloading(k, over) }()
	k.withdrawn <- errors.New("ebb stood still")
	select {
	case got := <-w.ready:
		if !strings.HasPrefix(got, "sets no clock: begins anew at ") {
			t.Errorf("ready with %q", got)
		}
	case <-time.After(devtest.Hung):
		t.Error("it says nothing")
	}
	a := leaseAsk{&tenantLease{Name: "lease.0.1", PID: os.Getpid()}, false, make(chan error, 1)}
	w.leases.asks <- a
	close(over)
	<-next
	if len(a.answer) > 0 || len(s.leasing.asked) != 1 {
		t.Errorf("%d answers, %d asks wait", len(a.answer), len(s.leasing.asked))
	}
	s.withdraws() // nothing governs here that would call it
	if of, ok := mem.Service(); !ok || of.State != board.Starting {
		t.Errorf("the board says %+v", of)
	}
}
