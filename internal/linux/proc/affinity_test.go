package proc

import (
	"errors"
	"math/bits"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAffinityOfLargeMachines: the kernel of a machine of any size says where a thread may run.
func TestAffinityOfLargeMachines(t *testing.T) {
	for _, cpus := range []int{1, 64, 1024, 1025, 2048, 8192} {
		need := (cpus + 63) / 64 * 8 // as the kernel's mask has whole words
		a, err := affinity(1024/64, func(a Affinity) (int, error) {
			if 8*len(a) < need {
				return 0, unix.EINVAL
			}
			a[(cpus-1)/64] |= 1 << ((cpus - 1) % 64)
			return need, nil
		})
		if err != nil || !a.Has(cpus-1) || a.Has(cpus) || count(a) != 1 {
			t.Errorf("%d CPUs: %v, %v", cpus, a, err)
		}
		if only := Only(cpus - 1); !slices.Equal(only, a) {
			t.Errorf("only CPU %d: %v, want %v", cpus-1, only, a)
		}
	}
	for _, refused := range []error{unix.EINVAL, unix.EPERM} {
		if _, err := affinity(1, func(Affinity) (int, error) { return 0, refused }); !errors.Is(err,
			refused) {
			t.Errorf("%v became %v", refused, err)
		}
	}
}

func TestThreadAffinity(t *testing.T) {
	runtime.LockOSThread() // it stays locked, and ends with the test, where it cannot go back
	before, err := ThreadAffinity()
	if err != nil {
		t.Fatal(err)
	}
	cpu := 0
	for !before.Has(cpu) {
		cpu++
	}
	if err := Only(cpu).SetThread(); err != nil {
		t.Fatal(err)
	}
	if now, err := ThreadAffinity(); err != nil || count(now) != 1 || !now.Has(cpu) {
		t.Errorf("%v, %v", now, err)
	}
	if err := before.SetThread(); err != nil {
		t.Fatal(err)
	}
	runtime.UnlockOSThread()
}

// count returns the number of CPUs.
func count(a Affinity) (n int) {
	for _, w := range a {
		n += bits.OnesCount64(w)
	}
	return n
}
