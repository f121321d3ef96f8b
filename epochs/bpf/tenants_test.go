package bpf

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// openGroup opens a cgroup until the test's end.
func openGroup(t *testing.T, dir string) *cgroup.Cgroup {
	t.Helper()
	c, err := cgroup.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// tenantTracer follows a cgroup for each tenant, which are numbered from 1.
func tenantTracer(t *testing.T, groups ...*cgroup.Cgroup) *Tracer {
	t.Helper()
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond, Tenants: true})
	for i, c := range groups {
		if err := tr.Follow(c.ID, uint16(i+1)); err != nil {
			t.Fatal(err)
		}
	}
	return tr
}

// takingMoves calls TakeMoves until the returned function is called, as one does who reads events.
func takingMoves(t *testing.T, tr *Tracer) (stop func()) {
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			if err := tr.TakeMoves(); err != nil {
				t.Error(err)
				return
			}
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	return func() {
		close(done)
		wait.Wait()
	}
}

// tenantTimes sums what the scheduler says of each tenant's threads.
func tenantTimes(t *testing.T, tr *Tracer) map[uint16]time.Duration {
	t.Helper()
	sums := map[uint16]time.Duration{}
	for _, th := range mustThreads(t, tr, 0) {
		sums[th.Tenant] += th.KernelRun
	}
	return sums
}

// awaitTenant waits until all of a process's living threads, at least so many, are one tenant's; 0:
// nobody's.
func awaitTenant(t *testing.T, tr *Tracer, pid, threads int, tenant uint16) {
	t.Helper()
	var last []Thread
	for deadline := time.Now().Add(devtest.Hung); time.Now().Before(deadline); {
		if err := tr.TakeMoves(); err != nil {
			t.Fatal(err)
		}
		living, others := 0, 0
		last = mustThreads(t, tr, pid)
		for _, th := range last {
			if th.Ended == 0 {
				living++
				if th.Tenant != tenant {
					others++
				}
			}
		}
		if others == 0 && (tenant == 0 && living == 0 || tenant > 0 && living >= threads) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("the threads of process %d are not tenant %d's: %+v", pid, tenant, last)
}

func cpuTimeOf(t *testing.T, c *cgroup.Cgroup) time.Duration {
	t.Helper()
	used, ok := c.CPUTime()
	if !ok {
		t.Fatalf("the kernel does not say what %s has used", c.Name)
	}
	return used
}

// near reports whether a time is the kernel's of a cgroup. That one has microseconds.
func near(got, want time.Duration) bool { return (got - want).Abs() <= 5*time.Microsecond }

// runIn runs a command to its end in a cgroup; in "" it stays in this one's.
func runIn(t *testing.T, dir string, argv ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	started := func() {}
	if dir != "" {
		started = devtest.InCgroup(t, dir, cmd)
	}
	defer started()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, out)
	}
	return cmd
}

// startIn starts a command in a cgroup that runs until the test's end.
func startIn(t *testing.T, dir string, argv ...string) *os.Process {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	defer devtest.InCgroup(t, dir, cmd)()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd.Process
}

// checkOwners returns a function that checks that each event is the tenant's whose thread it is,
// and sums the slices by tenant.
func checkOwners(t *testing.T, ran map[uint16]time.Duration) func(*epochs.Event) {
	owner := map[epochs.TID]uint16{}
	return func(ev *epochs.Event) {
		switch ev.Kind {
		case epochs.Fork:
			owner[ev.Thread] = ev.Tenant
		case epochs.Lost:
			t.Errorf("%d records lost", ev.Count)
		case epochs.Off, epochs.Slice:
			ran[ev.Tenant] += ev.At.Sub(ev.Began())
			fallthrough
		case epochs.On, epochs.Exec, epochs.Exit:
			if of := owner[ev.Thread]; of != ev.Tenant {
				t.Errorf("an event of kind %d of tenant %d's thread %d is tenant %d's", ev.Kind, of,
					ev.Thread, ev.Tenant)
			}
		}
	}
}

// TestEachTenantHasItsOwnTime: each tenant has the time of its own threads, as the kernel counts it
// for the cgroups: the nearest followed cgroup above a thread counts. Nobody has a bystander's.
func TestEachTenantHasItsOwnTime(t *testing.T) {
	top := devtest.Cgroup(t)
	outer, alone := devtest.ChildCgroup(t, top, "outer"), devtest.ChildCgroup(t, top, "alone")
	inner := devtest.ChildCgroup(t, outer, "inner")
	below := devtest.ChildCgroup(t, devtest.ChildCgroup(t, inner, "between"), "below")
	groups := []*cgroup.Cgroup{openGroup(t, outer), openGroup(t, alone), openGroup(t, inner)}
	tr := tenantTracer(t, groups...)
	ran := map[uint16]time.Duration{}
	r := drain(tr, checkOwners(t, ran))
	spin := compile(t, "../../test/workloads/c/spin.c")
	forks := "i=0; while [ $i -lt 40 ]; do i=$((i+1)); /bin/true; done"
	var all sync.WaitGroup
	for _, c := range []struct {
		in   string
		argv []string
	}{{outer, []string{spin, "40"}}, {alone, []string{spin, "20"}}, {below, []string{spin, "60"}},
		{"", []string{spin, "10"}}, {top, []string{spin, "10"}},
		{outer, []string{"sh", "-c", forks}}, {inner, []string{"sh", "-c", forks}}} {
		all.Go(func() { runIn(t, c.in, c.argv...) })
	}
	all.Wait()
	for tenant := range uint16(4) {
		if !tr.TenantExited(tenant, 20*time.Second) {
			t.Errorf("threads of tenant %d have announced their end and not stopped", tenant)
		}
	}
	r.finish(t)
	got := tenantTimes(t, tr)
	of := []time.Duration{0, cpuTimeOf(t, groups[0]) - cpuTimeOf(t, groups[2]),
		cpuTimeOf(t, groups[1]), cpuTimeOf(t, groups[2])}
	for tenant, want := range of {
		if !near(got[uint16(tenant)], want) {
			t.Errorf("tenant %d has %v by its threads, %v by its cgroups", tenant,
				got[uint16(tenant)], want)
		}
	}
	for _, th := range mustThreads(t, tr, 0) {
		ran[th.Tenant] -= th.Run
	}
	for tenant, d := range ran {
		if d != 0 {
			t.Errorf("tenant %d's events have %v more than its threads", tenant, d)
		}
	}
}

// TestRemovedAndMadeAnew: a removed cgroup's number is nobody's from then on. One of the same name
// is another cgroup, which is followed when that is asked for.
func TestRemovedAndMadeAnew(t *testing.T) {
	dir := devtest.ChildCgroup(t, devtest.Cgroup(t), "unit")
	old := openGroup(t, dir)
	tr := tenantTracer(t, old)
	if err := tr.Follow(old.ID, 2); !errors.Is(err, ErrFollowed) {
		t.Errorf("the same cgroup for another tenant: %v", err)
	}
	runIn(t, dir, "true")
	for os.Remove(dir) != nil { // until its process is gone
		time.Sleep(time.Millisecond)
	}
	var tenant uint32
	if err := tr.objects.Tenants.Lookup(old.ID, &tenant); err == nil {
		t.Errorf("the removed cgroup is tenant %d's", tenant)
	}
	if err := tr.Unfollow(old.ID); err != nil {
		t.Errorf("end what is over: %v", err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	anew := openGroup(t, dir)
	pid, _ := startGrow(t, 2, dir)
	awaitTenant(t, tr, pid, 4, 0)
	if err := tr.Follow(anew.ID, 7); err != nil {
		t.Fatal(err)
	}
	r := drain(tr, func(*epochs.Event) {})
	awaitTenant(t, tr, pid, 4, 7)
	if n := len(mustThreads(t, tr, pid)); n < 4 {
		t.Errorf("%d threads are followed, want 4 or more", n)
	}
	r.finish(t)
}

// TestNearestCgroupComesAndGoes: a cgroup that is followed within another has its own threads, and
// they go back to the other.
func TestNearestCgroupComesAndGoes(t *testing.T) {
	outer := devtest.Cgroup(t)
	inner := devtest.ChildCgroup(t, outer, "inner")
	of, within := openGroup(t, outer), openGroup(t, inner)
	tr := tenantTracer(t, of)
	r := drain(tr, func(*epochs.Event) {})
	spinner := startIn(t, inner, "sh", "-c", "while :; do :; done")
	awaitTenant(t, tr, spinner.Pid, 1, 1)
	for range 2 {
		if err := tr.Follow(within.ID, 2); err != nil {
			t.Fatal(err)
		}
		awaitTenant(t, tr, spinner.Pid, 1, 2)
		if err := tr.Unfollow(within.ID); err != nil {
			t.Fatal(err)
		}
		awaitTenant(t, tr, spinner.Pid, 1, 1)
	}
	if err := tr.Unfollow(of.ID); err != nil {
		t.Fatal(err)
	}
	awaitTenant(t, tr, spinner.Pid, 1, 0)
	r.finish(t)
}

// TestNoMoreCgroupsThanThereIsRoomFor: of cgroups there are as many as there is room for, and room
// is made by what ends.
func TestNoMoreCgroupsThanThereIsRoomFor(t *testing.T) {
	top := devtest.Cgroup(t)
	more := devtest.ChildCgroup(t, top, "more")
	all, extra := openGroup(t, top), openGroup(t, more)
	tr := tenantTracer(t, all)
	for i := range uint64(MaxCgroups - 1) {
		if err := tr.objects.Tenants.Put(1<<63|i, uint32(2)); err != nil {
			t.Fatalf("cgroup %d: %v", i+2, err)
		}
	}
	if err := tr.Follow(extra.ID, 3); !errors.Is(err, ErrTooMany) {
		t.Errorf("one more than %d: %v", MaxCgroups, err)
	}
	pid, _ := startGrow(t, 2, more)
	awaitTenant(t, tr, pid, 4, 1)
	if err := tr.Unfollow(1 << 63); err != nil {
		t.Fatal(err)
	}
	if err := tr.Follow(extra.ID, 3); err != nil {
		t.Fatal(err)
	}
}

func TestTenantsAreRefused(t *testing.T) {
	for name, c := range map[string]Config{
		"rests":    {Quantum: time.Millisecond, Tenants: true, Rests: true},
		"a cgroup": {Quantum: time.Millisecond, Tenants: true, Cgroup: 1},
	} {
		if tr, err := Open(c); err == nil || !strings.Contains(err.Error(), "excludes") {
			t.Errorf("with %s: %v", name, err)
			_ = tr.Close()
		}
	}
	single := openTracer(t, Config{Quantum: time.Millisecond})
	several := openTracer(t, Config{Quantum: time.Millisecond, Tenants: true})
	for name, err := range map[string]error{
		"a tenant of one":         single.Follow(1, 1),
		"a process of one":        single.AttachTenant(os.Getppid(), 1),
		"tenant 0":                several.Follow(1, 0),
		"a tenant too high":       several.Follow(1, MaxTenants+1),
		"a process of one as low": several.AttachTenant(os.Getppid(), 0),
	} {
		if !errors.Is(err, ErrNoTenants) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if times, err := single.Foreign(); times != nil || err != nil {
		t.Errorf("foreign time with one tenant: %v, %v", times, err)
	}
}

// TestForeignTime: the time of threads that are nobody's is counted, and a tenant's is not.
func TestForeignTime(t *testing.T) {
	in := devtest.Cgroup(t)
	tr := tenantTracer(t, openGroup(t, in))
	sum := func() (d time.Duration) {
		t.Helper()
		times, err := tr.Foreign()
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range times {
			d += of
		}
		return d
	}
	spin := compile(t, "../../test/workloads/c/spin.c")
	began, before := time.Now(), sum()
	used := runIn(t, "", spin, "100").ProcessState
	tenant := runIn(t, in, spin, "100").ProcessState
	got, wall := sum()-before, time.Since(began)
	own := used.UserTime() + used.SystemTime()
	// Up to 20 ms for what it ran before this began, and for the kernel's rounding of its time.
	if got < own-20*time.Millisecond {
		t.Errorf("nobody's threads ran for %v, and one of them for %v", got, own)
	}
	most := wall*time.Duration(len(mustForeign(t, tr))) - tenant.UserTime() - tenant.SystemTime()
	if got > most+20*time.Millisecond {
		t.Errorf("nobody's threads ran for %v, where only %v were left", got, most)
	}
}

func mustForeign(t *testing.T, tr *Tracer) []time.Duration {
	t.Helper()
	times, err := tr.Foreign()
	if err != nil {
		t.Fatal(err)
	}
	return times
}
