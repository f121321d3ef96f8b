package serve

import (
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// TestLeases: a service without tenants governs for leases, which come and go from several
// goroutines at once; one that cannot be is refused, and the others stay over a new beginning.
func TestLeases(t *testing.T) {
	w := &watching{ready: make(chan string, 99), begin: func() {}, leases: newLeaseDesk()}
	var set atomic.Pointer[config.Tenants]
	set.Store(&config.Tenants{Rest: config.RestBackground})
	serviceInTest(t, w, devtest.Tree(t, devtest.Desktop), &set, io.Discard)
	if first := <-w.ready; !strings.Contains(first, "no tenant") {
		t.Fatal(first)
	}
	lost := make(chan *tenantLease, 99)
	lease := func(pid int) *tenantLease {
		x := &tenantLease{Name: "lease.0.1", PID: pid, Slowdown: 0.05}
		x.Lost = func() { lost <- x }
		return x
	}
	started := func() *exec.Cmd {
		cmd := exec.Command("sleep", "1000")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		return cmd
	}
	ended := started()
	_ = ended.Process.Kill()
	_ = ended.Wait()
	if err := w.leases.Take(t.Context(), lease(ended.Process.Pid)); !errors.Is(err, errLeaseEnded) {
		t.Errorf("one that has ended: %v", err)
	}
	kept := lease(started().Process.Pid)
	if err := w.leases.Take(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	if err := w.leases.Take(t.Context(), lease(kept.PID)); !errors.Is(err, errLeaseTaken) {
		t.Errorf("one that another lease has: %v", err)
	}
	var all sync.WaitGroup
	for range 8 {
		cmd := started()
		all.Go(func() {
			for range 5 {
				x := lease(cmd.Process.Pid)
				if err := w.leases.Take(t.Context(), x); err != nil {
					t.Errorf("take: %v", err)
				}
				if err := w.leases.GiveBack(t.Context(), x); err != nil {
					t.Errorf("give back: %v", err)
				}
				if err := w.leases.GiveBack(t.Context(), x); err != nil {
					t.Errorf("give back again: %v", err)
				}
			}
		})
	}
	// The set changes meanwhile: with a first tenant, and without one, it begins anew.
	for _, next := range []config.Tenants{
		{Rest: config.RestBackground, Tenants: []config.Tenant{
			{Name: "a", Cgroup: filepath.Join("/", t.Name())}}},
		{Rest: config.RestBackground}} {
		set.Store(&next)
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		for !strings.Contains(<-w.ready, map[bool]string{true: "1 tenant", false: "lease"}[len(
			next.Tenants) > 0]) {
		}
	}
	all.Wait()
	if err := w.leases.Take(t.Context(), lease(kept.PID)); !errors.Is(err, errLeaseTaken) {
		t.Errorf("the first has not stayed: %v", err)
	}
	if err := w.leases.GiveBack(t.Context(), kept); err != nil || len(lost) > 0 {
		t.Errorf("%v, %d lost", err, len(lost))
	}
}

// TestIdleLeaseEnds: a lease whose processes do not run ends; one of a process that runs does not.
func TestIdleLeaseEnds(t *testing.T) {
	w := &watching{ready: make(chan string, 99), begin: func() {}, leases: newLeaseDesk()}
	w.leases.idle = 2 * time.Second
	var set atomic.Pointer[config.Tenants]
	set.Store(&config.Tenants{Rest: config.RestBackground})
	serviceInTest(t, w, devtest.Tree(t, devtest.Desktop), &set, io.Discard)
	<-w.ready
	lost := make(chan string, 9)
	take := func(what string, argv ...string) *tenantLease {
		cmd := exec.Command(argv[0], argv[1:]...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		x := &tenantLease{Name: "lease." + what, PID: cmd.Process.Pid, Slowdown: 0.05,
			Lost: func() { lost <- what }}
		if err := w.leases.Take(t.Context(), x); err != nil {
			t.Fatal(err)
		}
		return x
	}
	all := []*tenantLease{take("runs", "sh", "-c", "while :; do sleep 0.02; done"),
		take("sleeps", "sleep", "1000")}
	select {
	case what := <-lost:
		if what != "sleeps" {
			t.Errorf("the lease that %s is lost", what)
		}
	case <-time.After(devtest.Hung):
		t.Error("no lease is lost")
	}
	for _, x := range all {
		if err := w.leases.GiveBack(t.Context(), x); err != nil {
			t.Error(err)
		}
	}
}

// TestNumbersOfExitingThreads: a number is given again by when it was given up, and not while
// threads that had it exit.
func TestNumbersOfExitingThreads(t *testing.T) {
	exit := map[arbiter.Tenant]bool{2: true, 4: true}
	k := &seats{free: []arbiter.Tenant{2, 3, 4, 1},
		exits: func(n arbiter.Tenant) bool { return exit[n] }}
	var got []arbiter.Tenant
	next := func() bool {
		i := k.pick(0)
		if i >= 0 {
			got = append(got, k.free[i])
			k.give(k.free[i])
		}
		return i >= 0
	}
	for next() {
	}
	exit[4] = false
	next()
	exit[3] = true
	mine := k.exiting(3)
	exit[3] = false
	k.free = append(k.free, 3)
	if mine() {
		t.Error("threads that have exited exit yet")
	}
	next()
	if exit[3] = true; mine() || !k.exiting(3)() {
		t.Errorf("another's threads are waited for: %t, its own are not: %t", mine(),
			!k.exiting(3)())
	}
	if want := []arbiter.Tenant{3, 1, 4, 3}; !slices.Equal(got, want) ||
		!slices.Equal(k.free, []arbiter.Tenant{2}) {
		t.Errorf("%v are given, %v are free; want %v", got, k.free, want)
	}
}

// TestLeasesOfCgroups: a cgroup is a tenant for as long as its lease is held. One that is a
// tenant's already, or lies in one, is refused; a tenant of a file that comes later takes it.
func TestLeasesOfCgroups(t *testing.T) {
	w := &watching{ready: make(chan string, 99), begin: func() {}, leases: newLeaseDesk()}
	w.leases.idle = time.Second
	var set atomic.Pointer[config.Tenants]
	set.Store(&config.Tenants{Rest: config.RestBackground})
	serviceInTest(t, w, devtest.Tree(t, devtest.Desktop), &set, io.Discard)
	<-w.ready
	dir := devtest.Cgroup(t)
	outer := devtest.ChildCgroup(t, dir, "outer")
	inner := devtest.ChildCgroup(t, outer, "inner")
	beside := devtest.ChildCgroup(t, dir, "beside")
	lost := make(chan *tenantLease, 99)
	lease := func(path string) *tenantLease {
		root, err := cgroup.Root()
		if err != nil {
			t.Fatal(err)
		}
		c, err := cgroup.Beneath(strings.TrimPrefix(path, root))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		x := &tenantLease{Name: "lease." + filepath.Base(path), Cgroup: c, Slowdown: 0.05}
		x.Lost = func() { lost <- x }
		return x
	}
	take := func(x *tenantLease, want error) {
		t.Helper()
		if err := w.leases.Take(t.Context(), x); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", x.Name, err, want)
		}
	}
	spin := exec.Command("sh", "-c", "while :; do sleep 0.02; done")
	defer devtest.InCgroup(t, inner, spin)()
	if err := spin.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = spin.Process.Kill()
		_ = spin.Wait()
	})
	of := lease(outer)
	take(of, nil)
	take(lease(outer), errLeaseTaken)
	take(lease(inner), errLeaseTaken)
	take(&tenantLease{Name: "lease.process", PID: spin.Process.Pid, Slowdown: 0.05}, errLeaseTaken)
	if err := w.leases.GiveBack(t.Context(), of); err != nil {
		t.Fatal(err)
	}
	within := lease(inner)
	take(within, nil) // it is nobody's again
	around := lease(outer)
	take(around, nil) // what lies in it keeps its own
	free := lease(beside)
	take(free, nil)
	if err := syscall.Rmdir(beside); err != nil {
		t.Fatal(err)
	}
	again := lease(devtest.ChildCgroup(t, dir, "beside"))
	take(again, nil) // it is another cgroup, though the first one's lease has not ended yet
	if err := w.leases.GiveBack(t.Context(), again); err != nil {
		t.Error(err)
	}
	gone := map[*tenantLease]bool{}
	for range 2 { // one is gone, and the other has no process of its own
		select {
		case x := <-lost:
			gone[x] = true
			if err := w.leases.GiveBack(t.Context(), x); err != nil {
				t.Error(err)
			}
		case <-time.After(devtest.Hung):
			t.Fatal("no lease is lost")
		}
	}
	if !gone[free] || !gone[around] {
		t.Errorf("%v are lost", gone)
	}
	// The first tenant of a file has the service begin anew, the second does not.
	for _, next := range [][]string{{"/none"}, {"/none", outer}} {
		in := config.Tenants{Rest: config.RestBackground}
		for i, dir := range next {
			in.Tenants = append(in.Tenants, config.Tenant{Name: string(rune('a' + i)), Cgroup: dir})
		}
		set.Store(&in)
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		for !strings.Contains(<-w.ready, map[int]string{1: "1 tenant",
			2: "2 tenants"}[len(next)]) {
		}
	}
	if x := <-lost; x != within {
		t.Errorf("%s is lost", x.Name)
	}
	take(lease(inner), errLeaseTaken)
}
