package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// TestServeFrozen: all of ebb's processes stand still for a while, alone and with its tenants, as
// where a machine is suspended: the kernel's clock and timers go on until its devices stand still
// too. The guardian puts the clocks back first thing then, and the service goes on with its clock,
// its lease and its watchdog.
func TestServeFrozen(t *testing.T) {
	devtest.Long(t)
	needRoot(t)
	nothingLeft(t)
	top := devtest.Cgroup(t)
	own, web := devtest.ChildCgroup(t, top, "own"), devtest.ChildCgroup(t, top, "web")
	inCgroup(t, web, spin...)
	s := startServingBy(t, func(cmd *exec.Cmd) error {
		defer devtest.InCgroup(t, own, cmd)()
		return cmd.Start()
	}, 2*time.Second, map[string]string{"a.toml": tenantOf("web", web, "20%")})
	s.sets(true)
	holder := command(t, append([]string{"join", "--run-dir", s.runDir, "--"}, spin...)...)
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	leased := func() bool {
		return strings.Contains(s.asked("/v1/tenants"), `"name":"lease.0.1"`)
	}
	until(t, "the lease is there", leased)
	anew := func() int { return strings.Count(read(t, s.stderr), "it begins anew") }
	for round, dir := range []string{own, top} {
		freeze(t, dir, "1")
		time.Sleep(time.Second) // twice what is a stall
		freeze(t, dir, "0")
		if dir == own { // the tenant ran, and nobody took what it had done
			until(t, "it begins anew: "+s.stderr, func() bool { return anew() > round })
			until(t, "it says that it sets no clock", func() bool {
				return s.count("STATUS=sets no clock: begins anew at ") > round
			})
		}
		s.goesOn("after it stood still")
		s.sets(true)
		until(t, "the lease is there again", leased)
		fed := s.count("WATCHDOG=1")
		until(t, "it is fed", func() bool { return s.count("WATCHDOG=1") > fed })
	}
	if err := unix.Kill(-holder.Process.Pid, unix.SIGKILL); err != nil { // also what it has started
		t.Fatal(err)
	}
	wait(t, holder)
	s.ends()
}

// TestServeStopped: a service that the terminal stopped puts the clocks back before, and governs
// again when it goes on.
func TestServeStopped(t *testing.T) {
	devtest.Long(t)
	needRoot(t)
	nothingLeft(t)
	web := devtest.Cgroup(t)
	inCgroup(t, web, spin...)
	s := startServingBy(t, func(cmd *exec.Cmd) error {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as of a shell's
		return cmd.Start()
	}, 30*time.Second, map[string]string{"a.toml": tenantOf("web", web, "20%")})
	s.sets(true)
	pid := s.cmd.Process.Pid
	state := func() byte {
		p, err := proc.ReadStat(pid)
		if err != nil {
			t.Fatal(err)
		}
		return p.State
	}
	if err := unix.Kill(-pid, unix.SIGTSTP); err != nil {
		t.Fatal(err)
	}
	until(t, "it is stopped", func() bool { return state() == 'T' })
	s.sets(false)
	if err := unix.Kill(-pid, unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	until(t, "it begins anew: "+s.stderr, func() bool {
		return strings.Contains(read(t, s.stderr), "it begins anew")
	})
	s.sets(true)
	s.ends()
}

// freeze has all processes in a cgroup and below stand still, or go on.
func freeze(t *testing.T, dir, on string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "cgroup.freeze"), []byte(on), 0); err != nil {
		t.Fatal(err)
	}
	until(t, "frozen "+on, func() bool {
		return strings.Contains(read(t, filepath.Join(dir, "cgroup.events")), "frozen "+on)
	})
}
