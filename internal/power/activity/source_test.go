package activity

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/inventory"
)

// TestSource compares the programs' busy time with the kernel's own while threads spin: both count
// the same CPUs. The kernel's has the grain of its ticks, so that the bound is loose. It lacks the
// ticks of a time in which the host gave a busy CPU nothing, which is then neither busy nor idle.
// Each CPU is visited before it is read: where a kernel does not trace the switch from certain
// threads, a CPU that such a one left is thought to work until its next switch.
func TestSource(t *testing.T) {
	s := openSource(t)
	// In the first window the source finds out whether the kernel traces all switches.
	for i, spinning := range []int{0, 0, 1, runtime.NumCPU()} {
		stop := make(chan struct{})
		for range spinning {
			go spin(stop)
		}
		time.Sleep(50 * time.Millisecond)
		visitCPUs(t)
		a, err1 := s.Read()
		time.Sleep(time.Second)
		visitCPUs(t)
		b, err2 := s.Read()
		close(stop)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		in, err := Between(&a, &b)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			continue
		}
		ticks := in["cpu_user"] + in["cpu_nice"] + in["cpu_system"] + in["cpu_intr"] +
			in["cpu_sintr"] + in["cpu_steal"]
		idle := b.Stat.Idle - a.Stat.Idle + b.Stat.Wait - a.Stat.Wait
		all := b.At.Sub(a.At) * time.Duration(inventory.CPUs())
		lacking := max(100-100*idle.Seconds()/all.Seconds()-ticks, 0)
		if in["cpu_busy"] < ticks-15 || in["cpu_busy"] > ticks+15+lacking {
			t.Errorf("%d spin: busy %.1f %%, by the kernel's ticks %.1f %%, which lack %.1f %%",
				spinning, in["cpu_busy"], ticks, lacking)
		}
		least := 80 * float64(min(spinning, 1))
		if in["busy_cpus_1"] < least || in["busy_cpus_2"] > in["busy_cpus_1"]+0.1 {
			t.Errorf("%d spin: %v", spinning, in)
		}
		// The levels of two CPUs add up to the busy time.
		if sum := (in["busy_cpus_1"] + in["busy_cpus_2"]) / 2; runtime.NumCPU() == 2 &&
			(sum < in["cpu_busy"]-1 || sum > in["cpu_busy"]+1) {
			t.Errorf("%d spin: levels add up to %.2f %%, busy %.2f %%", spinning, sum,
				in["cpu_busy"])
		}
		t.Logf("%d spin: lacking %.1f %%, %v", spinning, lacking, in)
	}
}

// visitCPUs runs on each CPU that it may run on for a moment.
func visitCPUs(t *testing.T) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and ends the thread with the goroutine
		var may unix.CPUSet
		err := unix.SchedGetaffinity(0, &may)
		for cpu := range inventory.CPUs() {
			var one unix.CPUSet
			if one.Set(cpu); !may.IsSet(cpu) {
				continue
			}
			err = errors.Join(err, unix.SchedSetaffinity(0, &one))
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func spin(stop chan struct{}) {
	for x := 0; ; x++ {
		if x%1024 == 0 {
			select {
			case <-stop:
				return
			default:
			}
		}
	}
}

func openSource(t testing.TB) *Source {
	s, err := Open("/proc")
	if errors.Is(err, ErrPermission) || errors.Is(err, ErrNotSupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func BenchmarkRead(b *testing.B) {
	s := openSource(b)
	for b.Loop() {
		if _, err := s.Read(); err != nil {
			b.Fatal(err)
		}
	}
}
