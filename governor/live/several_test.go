package live

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/units"
)

// crowd runs a machine of several tenants, checks its events and passes on begins and ends.
type crowd struct {
	t     *testing.T
	m     *Several
	seen  chan governor.Event
	ended chan error
}

// startCrowd governs tenants at these places until the test ends.
func startCrowd(t *testing.T, places ...Location) *crowd {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	tracer, err := bpf.Open(bpf.Config{Quantum: 5 * time.Millisecond, Tenants: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tracer.Close() })
	c := &crowd{t, NewSeveral(tracer, cpufreq.NewShadow("asked for"), 4e9, places),
		make(chan governor.Event, 1000), make(chan error, 1)}
	if which, err := c.m.Start(); err != nil {
		t.Fatal(which, err)
	}
	t.Cleanup(func() {
		if err := c.m.Close(); err != nil {
			t.Error(err)
		}
	})
	go func() { c.ended <- c.run() }()
	return c
}

// run takes all events. A tenant's records come between its begin and its end, and no time goes
// back behind an end.
func (c *crowd) run() error {
	defer close(c.seen)
	began := map[arbiter.Tenant]bool{}
	ended := map[arbiter.Tenant]units.Instant{}
	buf := make([]governor.Event, 8) // so that a reading takes many calls
	for {
		n, err := c.m.Next(context.Background(), buf)
		for _, ev := range buf[:n] {
			t := max(ev.Tenant, arbiter.Tenant(ev.Sched.Tenant))
			switch {
			case ev.Kind == governor.Begin:
				if began[t] || ev.At < ended[t] || ev.Frequency != 4e9 {
					c.t.Errorf("tenant %d begins at %d: begun %t, ended %d", t, ev.At, began[t],
						ended[t])
				}
				began[t] = true
				c.seen <- ev
			case ev.Kind == governor.End:
				if !began[t] {
					c.t.Errorf("tenant %d ends and has not begun", t)
				}
				began[t], ended[t] = false, ev.At
				c.seen <- ev
			case t != 0 && !began[t]:
				c.t.Errorf("tenant %d is not there, and has %+v", t, ev)
			}
		}
		if errors.Is(err, io.EOF) {
			for t, still := range began {
				if still {
					c.t.Errorf("tenant %d has no end", t)
				}
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// next is the next begin or end. A program that sleeps before its first quantum ends rings no bell.
func (c *crowd) next(kind governor.EventKind, of arbiter.Tenant) {
	c.t.Helper()
	ring := time.NewTicker(10 * time.Millisecond)
	defer ring.Stop()
	var ev governor.Event
	var ok, seen bool
	for !seen {
		select {
		case ev, ok = <-c.seen:
			seen = true
		case <-ring.C:
			c.m.Wake()
		}
	}
	if !ok {
		c.t.Fatalf("the machine ended: %v", <-c.ended)
	}
	if ev.Kind != kind || ev.Tenant != of {
		c.t.Fatalf("%d of tenant %d, want %d of %d", ev.Kind, ev.Tenant, kind, of)
	}
}

// over waits for the machine's end.
func (c *crowd) over() {
	c.t.Helper()
	if err := <-c.ended; err != nil {
		c.t.Error(err)
	}
}

// program starts a program of one process, in a cgroup or, for "", in the test's.
func program(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	if dir != "" {
		defer devtest.InCgroup(t, dir, cmd)()
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(cmd) })
	return cmd
}

func end(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// TestTenantsComeAndGo: one that is there, one whose cgroup is made, removed and made anew, and a
// process.
func TestTenantsComeAndGo(t *testing.T) {
	top := devtest.Cgroup(t)
	there, none := devtest.ChildCgroup(t, top, "there"), filepath.Join(top, "none")
	first, third := program(t, there), program(t, "")
	c := startCrowd(t, Location{Dir: there}, Location{Dir: none}, Location{PID: third.Process.Pid})
	c.next(governor.Begin, 3)
	c.next(governor.Begin, 1)
	for range 3 {
		end(first)
		c.next(governor.End, 1)
		first = program(t, there)
		c.next(governor.Begin, 1)
	}
	for range 3 {
		devtest.ChildCgroup(t, top, "none")
		program(t, none)
		c.next(governor.Begin, 2)
		devtest.RemoveCgroup(t, none)
		c.next(governor.End, 2)
	}
	end(third)
	c.next(governor.End, 3)
	if c.m.Over() {
		t.Error("it is to end, although cgroups may come again")
	}
	c.m.Stop()
	c.next(governor.End, 1)
	c.over()
	if d := c.m.Doubts(); len(d) > 0 {
		t.Error(d)
	}
}

// TestProcessesEndTheRun: a machine whose tenants are processes ends with the last.
func TestProcessesEndTheRun(t *testing.T) {
	a, b := program(t, ""), program(t, "")
	c := startCrowd(t, Location{PID: a.Process.Pid}, Location{PID: b.Process.Pid})
	c.next(governor.Begin, 1)
	c.next(governor.Begin, 2)
	end(b)
	c.next(governor.End, 2)
	end(a)
	c.next(governor.End, 1)
	c.over()
}

// TestStartNamesTheTenant whose place cannot be followed.
func TestStartNamesTheTenant(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	p, dir := program(t, ""), devtest.Cgroup(t)
	tracer, err := bpf.Open(bpf.Config{Quantum: 5 * time.Millisecond, Tenants: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tracer.Close()
	for name, x := range map[string]struct {
		places []Location
		which  arbiter.Tenant
		is     error
	}{
		"gone": {[]Location{{PID: p.Process.Pid}, {PID: gone.Process.Pid}}, 2,
			bpf.ErrNoProcess},
		"same group": {[]Location{{Dir: dir}, {Dir: dir}}, 2, bpf.ErrFollowed},
	} {
		m := NewSeveral(tracer, cpufreq.NewShadow("asked for"), 4e9, x.places)
		if which, err := m.Start(); which != x.which || !errors.Is(err, x.is) {
			t.Errorf("%s: tenant %d: %v", name, which, err)
		}
		if err := m.Close(); err != nil {
			t.Error(name, err)
		}
	}
}

// TestOwnCostIsShared among the tenants that ran, by their times, to the nanosecond.
func TestOwnCostIsShared(t *testing.T) {
	m := NewSeveral(nil, nil, 4e9, make([]Location, 3))
	all := cost{}
	m.Overhead(func() (displaced, traced time.Duration) { return all.displaced, all.traced })
	got := map[arbiter.Tenant]cost{}
	tick := func(displaced, traced time.Duration, ran ...time.Duration) {
		all = cost{all.displaced + displaced, all.traced + traced}
		m.pending = m.pending[:0]
		for i, d := range ran {
			if tenant := m.tenants[i]; d > 0 {
				tenant.present, tenant.ran = true, d
				m.ran = append(m.ran, tenant)
			}
		}
		m.share(100)
		for _, ev := range m.pending {
			got[ev.Tenant] = cost{ev.Displaced, ev.Traced}
		}
	}
	tick(30, 7, 1000, 2000)
	if want := (cost{10, 2}); got[1] != want {
		t.Errorf("tenant 1 has %v, want %v", got[1], want)
	}
	tick(11, 0) // nobody ran
	tick(0, 5, 0, 0, 1)
	if want := (cost{11, 5}); got[3] != want {
		t.Errorf("tenant 3 has %v, want %v", got[3], want)
	}
	for i := range 1000 {
		tick(time.Duration(i), 1, time.Duration(i%7), time.Duration(i%3), time.Duration(i))
	}
	sum := cost{}
	for _, c := range got {
		sum = cost{sum.displaced + c.displaced, sum.traced + c.traced}
	}
	if sum != all {
		t.Errorf("the parts are %v, the whole %v", sum, all)
	}
}

// TestBystandersHaveTheClockThatNobodyWants: with the tenants asleep at a low clock, one tick
// comes, at which bystanders run; with a high clock none does.
func TestBystandersHaveTheClockThatNobodyWants(t *testing.T) {
	woken := make(chan bool, 10)
	const quantum = 5 * time.Millisecond
	m := NewSeveral(nil, nil, 4e9, nil)
	m.Bystanders(1, 4e9, quantum)
	m.bystanders.wake = func() { woken <- true }
	m.bystanders.asked(2e9)
	<-woken
	if m.bystanders.armed.Load() {
		t.Error("it wakes the machine again though nobody ran")
	}
	m.bystanders.asked(4e9)
	m.bystanders.arm()
	if m.bystanders.armed.Load() {
		t.Error("it wakes the machine at the highest clock")
	}
	m.bystanders.end(m)
	if len(m.pending) != 0 {
		t.Errorf("bystanders that never began end: %+v", m.pending)
	}
	var none *bystanders
	none.asked(1e9)
	none.end(m)
	m.bystanders.emit(m, 1, 90, 100)
	kinds := []epochs.Kind{m.pending[0].Sched.Kind, m.pending[1].Sched.Kind}
	if !slices.Equal(kinds, []epochs.Kind{epochs.On, epochs.Off}) ||
		m.pending[1].Sched.From != 90 || m.pending[1].Sched.Tenant != 1 {
		t.Errorf("%+v", m.pending)
	}
}
