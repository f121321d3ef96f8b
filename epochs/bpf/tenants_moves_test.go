package bpf

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// stay is a thread's stay with a tenant, as far as its events have shown it.
type stay struct {
	tenant           uint16
	runs, exits, ran bool
}

// stays checks the order of the events of threads that go from tenant to tenant.
type stays struct {
	t       *testing.T
	threads map[epochs.TID]stay
	forks   int
}

func (c *stays) see(ev *epochs.Event) {
	s, known := c.threads[ev.Thread]
	// One that comes from nobody has no Fork.
	if known && !s.exits && ev.Kind != epochs.Fork && s.tenant != ev.Tenant {
		c.t.Errorf("an event of kind %d of tenant %d's thread %d is tenant %d's", ev.Kind, s.tenant,
			ev.Thread, ev.Tenant)
	}
	switch ev.Kind {
	case epochs.Lost:
		c.t.Errorf("%d records lost", ev.Count)
	case epochs.Fork:
		if s.runs || s.ran && !s.exits {
			c.t.Errorf("thread %d comes to tenant %d and has not left: %+v", ev.Thread, ev.Tenant,
				s)
		}
		c.forks++
		c.threads[ev.Thread] = stay{tenant: ev.Tenant}
	case epochs.On:
		c.threads[ev.Thread] = stay{ev.Tenant, true, s.exits && s.tenant == ev.Tenant, true}
	case epochs.Off:
		if ev.Cause != epochs.Exited {
			c.threads[ev.Thread] = stay{ev.Tenant, false, s.exits, true}
			return
		}
		if !s.exits {
			c.t.Errorf("thread %d has left tenant %d unannounced", ev.Thread, ev.Tenant)
		}
		delete(c.threads, ev.Thread)
	case epochs.Exit:
		s.tenant, s.exits = ev.Tenant, true
		c.threads[ev.Thread] = s
	}
}

// TestThreadsMoveBetweenTenants: a thread that is moved between tenants, and out and back, is one's
// at a time: it ends for the old one before it begins for the new one, and no time of it is lost.
func TestThreadsMoveBetweenTenants(t *testing.T) {
	top := devtest.Cgroup(t)
	dirs := []string{devtest.ChildCgroup(t, top, "a"), devtest.ChildCgroup(t, top, "b")}
	out := devtest.ChildCgroup(t, top, "out")
	tr := tenantTracer(t, openGroup(t, dirs[0]), openGroup(t, dirs[1]))
	stays := stays{t: t, threads: map[epochs.TID]stay{}}
	r := drain(tr, stays.see)
	spinner := startIn(t, dirs[0], "sh", "-c", "while :; do :; done")
	sleepers := startIn(t, dirs[0], compile(t, "testdata/grow.c"), "2", "still")
	awaitTenant(t, tr, spinner.Pid, 1, 1)
	awaitTenant(t, tr, sleepers.Pid, 3, 1)
	for _, to := range []struct {
		dir    string
		tenant uint16
	}{{dirs[1], 2}, {dirs[0], 1}, {out, 0}, {dirs[1], 2}} {
		for _, pid := range []int{spinner.Pid, sleepers.Pid} {
			devtest.JoinCgroup(t, to.dir, pid)
		}
		awaitTenant(t, tr, spinner.Pid, 1, to.tenant)
		awaitTenant(t, tr, sleepers.Pid, 3, to.tenant)
		time.Sleep(20 * time.Millisecond)
	}
	for _, p := range []*os.Process{spinner, sleepers} {
		_ = p.Kill() // it ran until now
		_, _ = p.Wait()
	}
	if !tr.TenantExited(1, 20*time.Second) || !tr.TenantExited(2, 20*time.Second) {
		t.Error("threads have announced their end and not stopped")
	}
	r.finish(t)
	all, err := tr.Stays()
	if err != nil {
		t.Fatal(err)
	}
	times := map[uint16]int{}
	for _, th := range all {
		times[th.Tenant]++
		if th.KernelSwitches != th.Switches {
			t.Errorf("thread %d switched %d times with tenant %d, %d of them traced", th.TID,
				th.KernelSwitches, th.Tenant, th.Switches)
		}
	}
	// Four threads, each of which came to 1, 2, 1, nobody and 2.
	if times[1] != 8 || times[2] != 8 || len(times) != 2 || stays.forks != 12 {
		t.Errorf("four threads stayed %v times with the tenants and came %d times from elsewhere "+
			"than nobody, want eight with each of two, and 12", times, stays.forks)
	}
}

// TestForkStormAcrossTenants: thousands of processes are created in tenants' cgroups from another
// tenant's, some of which move as the last thing that they do. None is lost, and all time is
// somebody's.
func TestForkStormAcrossTenants(t *testing.T) {
	const moving, tenants = 100, 3
	processes := devtest.Cases(10_000, 1_000)
	top := devtest.Cgroup(t)
	argv := []string{compile(t, "testdata/storm.c", "-static"), fmt.Sprint(processes),
		fmt.Sprint(moving)}
	var groups []*cgroup.Cgroup
	for i := range tenants {
		dir := devtest.ChildCgroup(t, top, fmt.Sprint("t", i))
		argv, groups = append(argv, dir), append(groups, openGroup(t, dir))
	}
	tr := tenantTracer(t, groups...)
	forks, offs := map[uint16]int{}, map[uint16]int{}
	r := drain(tr, func(ev *epochs.Event) {
		switch {
		case ev.Kind == epochs.Fork:
			forks[ev.Tenant]++
		case ev.Kind == epochs.Off && ev.Cause == epochs.Exited:
			offs[ev.Tenant]++
		case ev.Kind == epochs.Lost:
			t.Errorf("%d records lost", ev.Count)
		}
	})
	stop := takingMoves(t, tr)
	runIn(t, argv[3], argv...)
	stop()
	for tenant := range uint16(tenants + 1) {
		if !tr.TenantExited(tenant, 20*time.Second) {
			t.Errorf("threads of tenant %d have announced their end and not stopped", tenant)
		}
	}
	r.finish(t)
	all, ends := 0, 0
	for tenant := range uint16(tenants + 1) {
		if tenant > 0 && forks[tenant] < processes/tenants {
			t.Errorf("%d processes of tenant %d, want %d or more", forks[tenant], tenant,
				processes/tenants)
		}
		all += forks[tenant]
		ends += offs[tenant]
	}
	if forks[0] != 0 || all < processes+1 || all > processes+1+moving || ends != all {
		t.Errorf("%d came to tenants and %d left, want %d to %d; nobody's %d", all, ends,
			processes+1, processes+1+moving, forks[0])
	}
	var got, want time.Duration
	for _, d := range tenantTimes(t, tr) {
		got += d
	}
	for _, c := range groups {
		want += cpuTimeOf(t, c)
	}
	// The kernel rounds each cgroup's.
	if !near(got, want) {
		t.Errorf("all tenants have %v by their threads, %v by their cgroups", got, want)
	}
	if d := tr.Drops(); d.NoStorage+d.RingFull != 0 {
		t.Errorf("dropped %+v", d)
	}
}
