package run

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
)

// TestLeases: a service without tenants governs for leases, which come and go from several
// goroutines at once; one that cannot be is refused, and the others stay over a new beginning.
func TestLeases(t *testing.T) {
	w := &watching{ready: make(chan string, 99), begin: func() {}, leases: NewLeases()}
	var set atomic.Pointer[config.Tenants]
	set.Store(&config.Tenants{Rest: config.RestBackground})
	serviceInTest(t, w, devtest.Tree(t, devtest.Desktop), &set, io.Discard)
	if first := <-w.ready; !strings.Contains(first, "no tenant") {
		t.Fatal(first)
	}
	lost := make(chan *Lease, 99)
	lease := func(pid int) *Lease {
		x := &Lease{Name: "lease.0.1", PID: pid, Slowdown: 0.05}
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
	if err := w.leases.Take(t.Context(), lease(ended.Process.Pid)); !errors.Is(err, ErrLeaseEnded) {
		t.Errorf("one that has ended: %v", err)
	}
	kept := lease(started().Process.Pid)
	if err := w.leases.Take(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	if err := w.leases.Take(t.Context(), lease(kept.PID)); !errors.Is(err, ErrLeaseTaken) {
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
	if err := w.leases.Take(t.Context(), lease(kept.PID)); !errors.Is(err, ErrLeaseTaken) {
		t.Errorf("the first has not stayed: %v", err)
	}
	if err := w.leases.GiveBack(t.Context(), kept); err != nil || len(lost) > 0 {
		t.Errorf("%v, %d lost", err, len(lost))
	}
}

// TestIdleLeaseEnds: a lease whose processes do not run ends; one of a process that runs does not.
func TestIdleLeaseEnds(t *testing.T) {
	w := &watching{ready: make(chan string, 99), begin: func() {}, leases: NewLeases()}
	w.leases.idle = 2 * time.Second
	var set atomic.Pointer[config.Tenants]
	set.Store(&config.Tenants{Rest: config.RestBackground})
	serviceInTest(t, w, devtest.Tree(t, devtest.Desktop), &set, io.Discard)
	<-w.ready
	lost := make(chan string, 9)
	take := func(what string, argv ...string) *Lease {
		cmd := exec.Command(argv[0], argv[1:]...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		x := &Lease{Name: "lease." + what, PID: cmd.Process.Pid, Slowdown: 0.05,
			Lost: func() { lost <- what }}
		if err := w.leases.Take(t.Context(), x); err != nil {
			t.Fatal(err)
		}
		return x
	}
	all := []*Lease{take("runs", "sh", "-c", "while :; do sleep 0.02; done"),
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
	if want := []arbiter.Tenant{3, 1, 4}; !slices.Equal(got, want) ||
		!slices.Equal(k.free, []arbiter.Tenant{2}) {
		t.Errorf("%v are given, %v are free; want %v", got, k.free, want)
	}
}
