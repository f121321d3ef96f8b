package run

import (
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

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
