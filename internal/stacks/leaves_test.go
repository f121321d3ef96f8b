package stacks

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// TestEvery: from a change on samples are so much CPU time apart, and each says which period it
// represents.
func TestEvery(t *testing.T) {
	s, pid, put := spinning(t, 997, spin...)
	put(left, 0)
	count := func() (n int, of time.Duration) {
		t.Helper()
		use(t, pid, 200*time.Millisecond)
		if err := s.Drain(func(x *Sample) bool {
			n, of = n+1, x.Period
			return true
		}); err != nil {
			t.Fatal(err)
		}
		return n, of
	}
	many, short := count()
	const rare = 20 * time.Millisecond
	if err := s.Every(rare); err != nil {
		t.Fatal(err)
	}
	few, long := count()
	if short != time.Second/997 || long != rare || few == 0 || 5*few > many {
		t.Errorf("%d samples of %v, then %d of %v", many, short, few, long)
	}
}

// TestLeaves: a thread is sampled from when it is followed until it has left the target's cgroup.
// The test writes to the thread's storage what the tracer would (struct thread of
// epochs/bpf/thread.h).
func TestLeaves(t *testing.T) {
	s, pid, put := spinning(t, 997, spin...)
	for _, tc := range []struct {
		name  string
		at    int
		value byte
		taken bool
	}{{"followed", left, 0, true}, {"leaving", left, 1, true}, {"left", left, 2, false},
		{"back", left, 0, true}, {"a seed", seed, 1, false}} {
		put(tc.at, tc.value)
		before := taken(t, s)
		if !tc.taken {
			use(t, pid, 20*time.Millisecond) // a sample that had begun is complete
			before = taken(t, s)
		}
		use(t, pid, 100*time.Millisecond)
		if more := taken(t, s) - before; (more > 0) != tc.taken {
			t.Errorf("%s: %d samples in 100 ms of CPU time", tc.name, more)
		}
	}
}

// seed and left are the offsets of these fields in a thread's storage.
const seed, left = 13, 14

// spin is a program that computes and reads little memory.
var spin = []string{"sh", "-c", "while :; do :; done"}

// spinning samples a program, once put has written a byte of its storage.
func spinning(t testing.TB, rate int, program ...string) (
	s *Sampler, pid int, put func(at int, value byte),
) {
	t.Helper()
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
	t.Cleanup(func() { _ = followed.Close() })
	if s, err = Open(followed, nil, rate); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	cmd := exec.Command(program[0], program[1:]...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if err := s.AttachCPUs(); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.PidfdOpen(cmd.Process.Pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	return s, cmd.Process.Pid, func(at int, value byte) {
		t.Helper()
		storage := make([]byte, spec.Maps["threads"].ValueSize)
		storage[at] = value
		if err := followed.Put(uint32(fd), storage); err != nil {
			t.Fatal(err)
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
func use(t testing.TB, pid int, more time.Duration) {
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
