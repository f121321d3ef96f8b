package bpf

import (
	"errors"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
)

// TestProcessBeforeCgroup: a process is the narrower name: attached to, it is its tenant's whatever
// its cgroup is, with what it creates, and no other tenant's process.
func TestProcessBeforeCgroup(t *testing.T) {
	top := devtest.Cgroup(t)
	one, two := devtest.ChildCgroup(t, top, "one"), devtest.ChildCgroup(t, top, "two")
	tr := tenantTracer(t, openGroup(t, one), openGroup(t, two))
	var forks []epochs.Event
	r := drain(tr, func(ev *epochs.Event) {
		if ev.Kind == epochs.Fork {
			forks = append(forks, *ev)
		}
	})
	// Its threads run often, and it creates others all the time.
	pid, _ := startGrow(t, 3, one)
	first := func(want uint16) {
		t.Helper()
		deadline := time.Now().Add(devtest.Hung)
		for {
			of := map[uint16]int{}
			for _, th := range mustThreads(t, tr, pid) {
				if th.Ended == 0 && int(th.TID) != pid { // that one waits for its input
					of[th.Tenant]++
				}
			}
			if len(of) == 1 && of[want] >= 3 {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("the process's threads are %v, want tenant %d's alone", of, want)
			}
			time.Sleep(time.Millisecond)
		}
	}
	first(1)
	if err := tr.AttachTenant(pid, 3); err != nil {
		t.Fatal(err)
	}
	first(3)
	attached := monotonic.Now()
	devtest.JoinCgroup(t, two, pid)
	caughtUp(t, tr)
	time.Sleep(50 * time.Millisecond)
	first(3)
	if err := tr.AttachTenant(pid, 4); !errors.Is(err, ErrOtherTree) {
		t.Errorf("another tenant's process: %v", err)
	}
	if err := tr.AttachTenant(pid, 3); err != nil {
		t.Errorf("the same again: %v", err)
	}
	r.finish(t)
	created := map[uint16]int{}
	for _, ev := range forks {
		if ev.At > attached {
			created[ev.Tenant]++
		}
	}
	if created[3] == 0 || len(created) != 1 {
		t.Errorf("it created %v threads for the tenants, want all for 3", created)
	}
}

// TestWakersOfOtherTenantsAreTheWorld: two processes wake each other. Within a tenant each is the
// other's waker; of two tenants, each is the world to the other.
func TestWakersOfOtherTenantsAreTheWorld(t *testing.T) {
	top := devtest.Cgroup(t)
	one, two := devtest.ChildCgroup(t, top, "one"), devtest.ChildCgroup(t, top, "two")
	tr := tenantTracer(t, openGroup(t, one), openGroup(t, two))
	for _, c := range []struct {
		echo string
		none bool
	}{{one, false}, {two, true}} {
		var known, world int
		r := drain(tr, func(ev *epochs.Event) {
			switch {
			case ev.Kind != epochs.On || ev.Cause != epochs.Woken:
			case ev.By == epochs.NoThread:
				world++
			default:
				known++
			}
		})
		dir := t.TempDir()
		there, back := dir+"/there", dir+"/back"
		if err := errors.Join(unix.Mkfifo(there, 0o600), unix.Mkfifo(back, 0o600)); err != nil {
			t.Fatal(err)
		}
		var both sync.WaitGroup
		both.Go(func() {
			runIn(t, c.echo, "sh", "-c", "while read x; do echo $x; done <"+there+" >"+back)
		})
		runIn(t, one, "sh", "-c", "exec 3>"+there+" 4<"+back+
			"; i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo $i >&3; read x <&4; done")
		both.Wait()
		r.finish(t)
		if c.none && known != 0 || !c.none && known == 0 {
			t.Errorf("echo in %s: %d wakings by a thread, %d by the world", c.echo, known, world)
		}
	}
}
