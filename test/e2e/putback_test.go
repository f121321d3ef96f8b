package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stubborn is a program that goes on after the first SIGTERM, and says when it is ready for it.
func stubborn(t *testing.T) (program []string, ready func() bool) {
	t.Helper()
	said := filepath.Join(t.TempDir(), "ready")
	return []string{"sh", "-c", `trap : TERM; : >"$0"; while :; do :; done`, said}, func() bool {
		_, err := os.Stat(said)
		return err == nil
	}
}

// The first signal is the program's, which has its end at the highest frequency and apart in the
// report; the second is ebb's.
func TestSecondSignalEndsTheRun(t *testing.T) {
	needRoot(t)
	program, ready := stubborn(t)
	g := takeHold(t, program...)
	until(t, "the program is ready", ready)
	pid := g.cmd.Process.Pid
	if err := g.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond) // the part that is shown apart
	if !alive(pid) || g.controls()["scaling_governor"] != "userspace" {
		t.Errorf("after the first signal ebb lives: %v, governor %s", alive(pid),
			g.controls()["scaling_governor"])
	}
	second := time.Now()
	if err := g.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	g.back(second, backWithin)
	if code := wait(t, g.cmd).ExitCode(); code != 128+int(syscall.SIGTERM) {
		t.Errorf("status %d\n%s", code, read(t, g.stderr))
	}
	r := readReport(t, g.report)
	if r.EndingNS < int64(100*time.Millisecond) || r.EndingNS > r.WallNS {
		t.Errorf("%d ns of %d after it was asked to end", r.EndingNS, r.WallNS)
	}
	for _, e := range r.Energy {
		if e.EndingNJ <= 0 || e.EndingNJ > e.EnergyNJ {
			t.Errorf("%s: %d nJ of %d after it was asked to end", e.Zone, e.EndingNJ, e.EnergyNJ)
		}
	}
	from := r.WallNS - r.EndingNS
	for _, q := range r.Quanta {
		if q.StartNS > from && (q.Reason != "ending" || q.ChosenHz != 4e9) {
			t.Errorf("a quantum after the signal: %+v", q)
		}
	}
	if said := read(t, g.stderr); !strings.Contains(said, "after the program was asked to end") {
		t.Errorf("said:\n%s", said)
	}
	if !g.gone() {
		t.Error("the run directory is still there")
	}
}

// TestFrequenciesAreBackBeforeTheReportIsWritten: writing the report can wait for ever for another
// process. The frequencies are restored before that, and a signal ends the wait.
func TestFrequenciesAreBackBeforeTheReportIsWritten(t *testing.T) {
	needRoot(t)
	g := takeHold(t, "sleep", "600")
	// Nobody reads this pipe. It takes the place of the report's name while the program runs.
	if err := syscall.Mkfifo(g.report, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, pid := range children(t, g.cmd.Process.Pid) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	g.back(time.Now(), backWithin)
	until(t, "the run directory is gone", g.gone)
	// It may refuse the pipe and end by itself, or wait for a reader; then two signals are enough
	// at any time.
	for range 2 {
		_ = g.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		time.Sleep(50 * time.Millisecond)
	}
	if wait(t, g.cmd).Success() {
		t.Errorf("no report was written, and the status is 0:\n%s", read(t, g.stderr))
	}
}

// children are the processes that a process has started and that are neither guardian nor deputy.
func children(t *testing.T, pid int) (found []int) {
	t.Helper()
	lists, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task/*/children"))
	if err != nil {
		t.Fatal(err)
	}
	guards := sentries(t, pid)
	for _, list := range lists {
		for _, field := range strings.Fields(read(t, list)) {
			if id := int(atoi(t, field)); !slices.Contains(guards, id) {
				found = append(found, id)
			}
		}
	}
	return found
}
