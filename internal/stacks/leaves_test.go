package stacks

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// TestLeaves: a thread is sampled from when it is followed until it has left the target's cgroup.
// The test writes to the thread's storage what the tracer would (struct thread of
// epochs/bpf/thread.h).
func TestLeaves(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("sampling needs root")
	}
	spec, err := loadSample()
	if err != nil {
		t.Fatal(err)
	}
	followed, err := ebpf.NewMap(spec.Maps["threads"])
	if err != nil {
		t.Fatal(err)
	}
	defer followed.Close()
	s, err := Open(followed, nil, 997)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	spin := exec.Command("sh", "-c", "while :; do :; done")
	if err := spin.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = spin.Process.Kill()
		_ = spin.Wait()
	}()
	if err := s.AttachCPUs(); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.PidfdOpen(spin.Process.Pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	const seed, left = 13, 14 // where they are in a storage
	for _, tc := range []struct {
		name  string
		at    int
		value byte
		taken bool
	}{{"followed", left, 0, true}, {"leaving", left, 1, true}, {"left", left, 2, false},
		{"back", left, 0, true}, {"a seed", seed, 1, false}} {
		storage := make([]byte, spec.Maps["threads"].ValueSize)
		storage[tc.at] = tc.value
		if err := followed.Put(uint32(fd), storage); err != nil {
			t.Fatal(err)
		}
		before := taken(t, s)
		if !tc.taken {
			use(t, spin.Process.Pid, 20*time.Millisecond) // a sample that had begun is complete
			before = taken(t, s)
		}
		use(t, spin.Process.Pid, 100*time.Millisecond)
		if more := taken(t, s) - before; (more > 0) != tc.taken {
			t.Errorf("%s: %d samples in 100 ms of CPU time", tc.name, more)
		}
	}
}

func taken(t *testing.T, s *Sampler) uint64 {
	t.Helper()
	n, lost, err := s.Counts()
	if err != nil || lost > 0 {
		t.Fatalf("%v; %d lost", err, lost)
	}
	return n
}

// use waits until a process has used that much more of the CPU.
func use(t *testing.T, pid int, more time.Duration) {
	t.Helper()
	// The kernel's encoding of a process' CPU-time clock (include/linux/posix-timers.h,
	// CPUCLOCK_SCHED).
	clock := int32(^pid<<3 | 2)
	now := func() time.Duration {
		var ts unix.Timespec
		if err := unix.ClockGettime(clock, &ts); err != nil {
			t.Fatal(err)
		}
		return time.Duration(ts.Nano())
	}
	for until := now() + more; now() < until; time.Sleep(5 * time.Millisecond) {
	}
}
