package counts

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestUntracedSwitches: some kernels do not trace the switch from certain threads. The thread that
// comes next has its own time and work, and the one that left does not get them. The other counter,
// which sees all switches, says what is true.
func TestUntracedSwitches(t *testing.T) {
	t.Run("alone", func(t *testing.T) { untracedSwitches(t) })
	t.Run("beside another in the group of the thread that left", func(t *testing.T) {
		other := exec.Command("taskset", "-c", devtest.CPUList(), "sh", "-c", "while :; do :; done")
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			_ = other.Process.Kill()
			_ = other.Wait()
		}()
		untracedSwitches(t)
	})
}

func untracedSwitches(t *testing.T) {
	seen, blind := working(t, bucketsOfCPU, 0), working(t, bucketsOfCPU, os.Getpid())
	for _, c := range []*Counter{seen, blind} { // this kernel may leave out switches itself
		if err := c.seeIdle(); err != nil {
			t.Fatal(err)
		}
	}
	dir, id := cgroupOf(t, "untraced")
	type times struct{ group, idle, work time.Duration }
	read := func(c *Counter, x *times) {
		r, err := c.Read()
		if err != nil {
			t.Fatal(err)
		}
		x.idle += summed(r.Idle)
		d, work := r.of(id)
		x.group, x.work = x.group+d, x.work+time.Duration(work.Cycles)
	}
	var a, b times
	both := func() {
		read(seen, &a)
		read(blind, &b)
	}
	both()
	a, b = times{}, times{} // their windows begin now
	stop := make(chan struct{})
	defer close(stop)
	go devtest.WakeOften(stop)
	cmd := exec.Command("taskset", "-c", devtest.CPUList(), "sh", "-c",
		"echo $$ > "+dir+"/cgroup.procs; "+
			"sleep 0.01; i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; sleep 0.3")
	ended := make(chan error, 1)
	go func() { ended <- cmd.Run() }()
	for window := time.Tick(100 * time.Millisecond); ; both() {
		select {
		case <-window:
			continue
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
		}
		break
	}
	both()
	near := func(a, b time.Duration) bool { return (a - b).Abs() < a/50+30*time.Millisecond }
	if !near(a.group, b.group) || !near(a.idle, b.idle) || !near(a.work, b.work) {
		t.Errorf("time, idle time and work %v, and %v with all switches traced", b, a)
	}
	// The counter counts time: what it says is off neither way, and by little.
	if (b.work - b.group).Abs() > b.group/100+3*time.Millisecond {
		t.Errorf("work of %v in %v", b.work, b.group)
	}
	t.Logf("time, idle time and work %v, and %v with all switches traced", b, a)
}
