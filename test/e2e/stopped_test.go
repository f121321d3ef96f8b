package e2e

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// TestStopThatStopsNobody: where no shell could have ebb go on, the kernel stops nobody, and ebb
// governs as before.
func TestStopThatStopsNobody(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	g := takeHold(t, workload(t, "contend", "2", "600")...) // in a session of its own
	pid := g.cmd.Process.Pid
	for range 3 {
		if err := syscall.Kill(pid, syscall.SIGTSTP); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	if g.controls()["scaling_governor"] != "userspace" {
		t.Error("it has put the clocks back")
	}
	if err := g.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = g.cmd.Wait() // as the program, by the signal
	if said := read(t, g.stderr); strings.Contains(said, "stopped by the terminal") {
		t.Errorf("it says that it was stopped:\n%s", said)
	}
}

// TestStoppedByTheTerminal: the key that stops ebb and its program stops no ebb whose clocks are
// not back, however often; the same sent to ebb alone; and an ebb that goes on sets none any more,
// and says why.
func TestStoppedByTheTerminal(t *testing.T) {
	needRoot(t)
	for name, c := range map[string]struct {
		actuator string // what the machine lacks, so that ebb sets clocks the other way
		group    int    // the signal is for the group, or for ebb alone
	}{"both": {"", -1}, "ebb alone": {"", 1}, "clamped": {"scaling_available_governors", -1}} {
		t.Run(name, func(t *testing.T) {
			nothingLeft(t)
			g := &guarded{t: t, tree: devtest.Tree(t, devtest.Desktop),
				runDir: filepath.Join(t.TempDir(), "run"),
				report: filepath.Join(t.TempDir(), "r.json")}
			if c.actuator != "" {
				write(t, filepath.Join(g.tree, "devices/system/cpu/cpufreq/policy0", c.actuator),
					"performance powersave")
			}
			g.before = g.controls()
			g.cmd = command(t, append([]string{"run", "-v", "--sysfs", g.tree, "--run-dir",
				g.runDir, "--report", g.report, "--slowdown", "20%", "--"},
				workload(t, "contend", "2", "600")...)...)
			// A session's first process is stopped by no terminal.
			g.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			g.start()
			pid := g.cmd.Process.Pid
			touched := func() bool {
				for control, value := range g.controls() {
					if value != g.before[control] {
						return true
					}
				}
				return false
			}
			until(t, "ebb has set a clock", touched)
			for again := range 3 {
				for range again + 1 {
					if err := syscall.Kill(c.group*pid, syscall.SIGTSTP); err != nil {
						t.Fatal(err)
					}
				}
				until(t, "ebb is stopped", func() bool {
					s, err := proc.ReadStat(pid)
					return err == nil && s.State == 'T'
				})
				g.back(time.Now(), 0)
				// Longer than the guardian waits for ebb, and in the end than ebb for its loop.
				time.Sleep(time.Duration(1+again) * 700 * time.Millisecond)
				g.back(time.Now(), 0)
				until(t, "ebb goes on", func() bool {
					_ = syscall.Kill(c.group*pid, syscall.SIGCONT) // two signals can be two stops
					s, err := proc.ReadStat(pid)
					return err == nil && s.State != 'T'
				})
			}
			time.Sleep(200 * time.Millisecond) // some decisions
			g.back(time.Now(), 0)
			if err := g.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() { // as shells do behind a signal
				for {
					select {
					case <-ended:
						return
					case <-time.After(50 * time.Millisecond):
						_ = syscall.Kill(c.group*pid, syscall.SIGCONT)
					}
				}
			}()
			_ = g.cmd.Wait() // as the program, by the signal
			close(ended)
			if g.back(time.Now(), 0); !g.gone() {
				t.Error("the run directory is still there")
			}
			said := read(t, g.stderr)
			if strings.Contains(said, "ebb did nothing for") {
				t.Errorf("the guardian took it for one that hangs:\n%s", said)
			}
			if !strings.Contains(said, "stopped by the terminal") {
				t.Errorf("it does not say that it sets no clock any more:\n%s", said)
			}
		})
	}
}
