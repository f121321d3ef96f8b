package vm

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// Hostile programs on a real kernel's cpufreq (test/hostile has the rest of them, with files for
// the clocks): they do not end, or ebb does not, and the controls are as they were within a second,
// without ebb restore.
func TestHostile(t *testing.T) {
	if _, err := exec.LookPath("/bin/attacker"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		program []string
		signals []syscall.Signal // to ebb, one after the other
	}{
		{"a program that ignores TERM", []string{"deaf", "40"},
			[]syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}},
		{"ebb is killed beside deep stacks", []string{"stacks", "40"},
			[]syscall.Signal{syscall.SIGKILL}},
		{"ebb is stopped beside four programs", []string{"family", "4", "spin", "40"},
			[]syscall.Signal{syscall.SIGSTOP}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := controls(t)
			args := append([]string{"run", "-q", "--methods", "--quantum", quantum, "--slowdown",
				"10%", "--", "/bin/attacker", "nobody"}, c.program...)
			ebb := exec.Command("/bin/ebb", args...)
			ebb.Stderr = os.Stderr
			ebb.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := ebb.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = syscall.Kill(-ebb.Process.Pid, syscall.SIGKILL)
				for _, p := range processes(t, "/bin/attacker") {
					_ = syscall.Kill(p, syscall.SIGKILL)
				}
				_ = ebb.Wait()
				command(t, "/bin/ebb", "restore") // what a failure has left
			}()
			begin := time.Now()
			// It also changes controls while it measures the settle time.
			for len(processes(t, "/bin/attacker")) == 0 || !changed(t, before) {
				if time.Since(begin) > time.Minute {
					t.Fatal("ebb changes no control")
				}
				time.Sleep(20 * time.Millisecond)
			}
			time.Sleep(time.Second)
			for i, s := range c.signals {
				if i > 0 {
					time.Sleep(500 * time.Millisecond)
				}
				if err := ebb.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			since := time.Now()
			for changed(t, before) && time.Since(since) < time.Second {
				time.Sleep(10 * time.Millisecond)
			}
			t.Logf("at most %v until the controls were back",
				time.Since(since).Round(time.Millisecond))
			same(t, controls(t), before)
		})
	}
}

// changed says whether a control differs from what it was.
func changed(t *testing.T, before map[string]string) bool {
	t.Helper()
	for path, now := range controls(t) {
		if before[path] != now {
			return true
		}
	}
	return false
}
