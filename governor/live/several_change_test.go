package live

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// between makes a change and waits until it is made.
func (c *crowd) between(f func()) {
	c.t.Helper()
	made := make(chan bool)
	c.m.Between(func() { f(); close(made) })
	<-made
}

// TestTheSetChanges: a tenant is taken out while it runs, its cgroup is another's from then on, one
// comes whose cgroup is not there yet, and a number is given again.
func TestTheSetChanges(t *testing.T) {
	top := devtest.Cgroup(t)
	first, second := devtest.ChildCgroup(t, top, "first"), filepath.Join(top, "a", "second")
	program(t, first)
	c := startCrowd(t, Location{Dir: first})
	c.next(governor.Begin, 1)
	add := func(n arbiter.Tenant, dir string) {
		if err := c.m.Add(n, dir); err != nil {
			t.Error(err)
		}
	}
	for n := arbiter.Tenant(2); n < 5; n++ {
		c.between(func() { c.m.Remove([]arbiter.Tenant{n - 1}); add(n, first) })
		c.next(governor.End, n-1)
		c.next(governor.Begin, n)
	}
	for range 3 {
		c.between(func() { add(9, second) })
		devtest.ChildCgroup(t, devtest.ChildCgroup(t, top, "a"), "second")
		program(t, second)
		c.next(governor.Begin, 9)
		c.between(func() { c.m.Remove([]arbiter.Tenant{9}) })
		c.next(governor.End, 9)
		devtest.RemoveCgroup(t, filepath.Join(top, "a"))
	}
	c.m.Stop()
	c.next(governor.End, 4)
	c.over()
	if d := c.m.Doubts(); len(d) > 0 {
		t.Error(d)
	}
}

// TestManyLeaveAtOnce: tenants that are taken out at once cost one walk over all threads.
func TestManyLeaveAtOnce(t *testing.T) {
	var places []Location
	var all []arbiter.Tenant
	for i := range 8 {
		dir := devtest.Cgroup(t)
		program(t, dir)
		places, all = append(places, Location{Dir: dir}), append(all, arbiter.Tenant(i+1))
	}
	c := startCrowd(t, append(places, Location{PID: os.Getppid()})...)
	for _, n := range append([]arbiter.Tenant{arbiter.Tenant(len(places) + 1)}, all...) {
		c.next(governor.Begin, n)
	}
	walks := uint64(0)
	c.between(func() {
		before := c.m.tracer.Walks()
		c.m.Remove(all)
		walks = c.m.tracer.Walks() - before
	})
	if walks != 1 {
		t.Errorf("%d walks for %d tenants", walks, len(all))
	}
	c.m.Stop()
	<-c.ended
}

// TestRemovedWhileItComes: tenants are added and taken out while their cgroups come and go, and no
// descriptor is left.
func TestRemovedWhileItComes(t *testing.T) {
	top := devtest.Cgroup(t)
	first, other := devtest.ChildCgroup(t, top, "first"), filepath.Join(top, "other")
	program(t, first)
	c := startCrowd(t, Location{Dir: first})
	c.next(governor.Begin, 1)
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	before := open()
	for range 50 {
		devtest.ChildCgroup(t, top, "other")
		c.between(func() {
			if err := c.m.Add(2, other); err != nil {
				t.Error(err)
			}
		})
		c.between(func() { c.m.Remove([]arbiter.Tenant{2}) })
		devtest.RemoveCgroup(t, other)
	}
	c.m.Stop()
	c.next(governor.End, 1)
	c.over()
	if err := c.m.Close(); err != nil {
		t.Error(err)
	}
	if after := open(); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

// TestCgroupsThatComeAndGo: who may make and remove a tenant's cgroup has no walk over all threads
// for each.
func TestCgroupsThatComeAndGo(t *testing.T) {
	dir := filepath.Join(devtest.Cgroup(t), "tenant")
	c := startCrowd(t, Location{Dir: dir}, Location{PID: os.Getppid()})
	began, before := time.Now(), c.m.tracer.Walks()
	for range 15 {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.m.Stop()
	<-c.ended
	took := time.Since(began)
	if n, most := c.m.tracer.Walks()-before, uint64(took/(100*time.Millisecond))+2; n > most {
		t.Errorf("%d walks in %v, want at most %d", n, took, most)
	}
}
