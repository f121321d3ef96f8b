package e2e

import (
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// sentries are the guardians and deputies that process pid has started.
func sentries(t testing.TB, pid int) []int {
	t.Helper()
	return append(guardians(t, pid), inRole(t, "__deputy", pid)...)
}

// An ebb that is killed some time after its guardian leaves the machine as it found it, whether
// another guardian stands by or not.
func TestGuardianBeforeEbb(t *testing.T) {
	besideOthers(t)
	rnd := devtest.Rand(t)
	moments(t, func(t *testing.T, g *guarded) time.Duration {
		for _, pid := range guardians(t, g.cmd.Process.Pid) {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Duration(rnd.Int64N(int64(50 * time.Millisecond))))
		start := time.Now()
		if err := g.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		took := g.back(start, backWithin)
		until(t, "the run directory is gone", g.gone)
		return took
	})
}

// The deputy puts the frequencies of an ebb back that stands still when it has no guardian.
func TestGuardianOfAStoppedEbbKilled(t *testing.T) {
	besideOthers(t)
	moments(t, func(t *testing.T, g *guarded) time.Duration {
		start := time.Now()
		if err := g.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		for _, pid := range guardians(t, g.cmd.Process.Pid) {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
		return g.back(start, backWithin)
	})
}
