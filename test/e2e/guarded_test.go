package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// momentsEnv is the number of moments at which each of the guardian's tests kills or stops ebb.
const momentsEnv = "GUARDIAN_MOMENTS"

// guarded is an ebb that governs a program on a machine of files.
type guarded struct {
	t      *testing.T
	tree   string
	runDir string
	before map[string]string
	cmd    *exec.Cmd
	stderr string
	report string
}

var guardedControls = []string{"scaling_governor", "scaling_min_freq", "scaling_max_freq"}

func (g *guarded) controls() map[string]string {
	g.t.Helper()
	now := map[string]string{}
	for _, name := range guardedControls {
		now[name] = strings.TrimSpace(read(g.t,
			filepath.Join(g.tree, "devices/system/cpu/cpufreq/policy0", name)))
	}
	return now
}

// takeHold starts ebb and returns when it governs, which its threads' priority shows.
func takeHold(t *testing.T, program ...string) *guarded {
	t.Helper()
	return takeHoldOf(t, append([]string{"--slowdown", "20%", "--"}, program...)...)
}

// takeHoldOf is takeHold with the last arguments, which say what is governed.
func takeHoldOf(t *testing.T, what ...string) *guarded {
	t.Helper()
	return takeHoldIn(t, "", what...)
}

// takeHoldIn is takeHoldOf from a mount namespace of its own, where a shell has done something
// first. An empty text is no namespace.
func takeHoldIn(t *testing.T, first string, what ...string) *guarded {
	t.Helper()
	g := &guarded{t: t, tree: devtest.Tree(t, devtest.Desktop),
		runDir: filepath.Join(t.TempDir(), "run"), report: filepath.Join(t.TempDir(), "r.json")}
	g.before = g.controls()
	g.cmd = command(t, append([]string{"run", "-v", "--sysfs", g.tree, "--run-dir", g.runDir,
		"--report", g.report}, what...)...)
	if first != "" {
		g.cmd = unshared(t, []string{"-m"}, append([]string{"sh", "-c", first + `; exec "$@"`, "sh"},
			g.cmd.Args...)...)
	}
	g.start()
	return g
}

// start starts the command, and returns when it governs.
func (g *guarded) start() {
	t := g.t
	t.Helper()
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	g.stderr, g.cmd.Stderr = stderr.Name(), stderr
	if err := g.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	session := g.cmd.Process.Pid
	t.Cleanup(func() { _ = syscall.Kill(-session, syscall.SIGKILL) })
	until(t, "ebb governs: "+g.stderr, func() bool { return ahead(session) })
}

// ahead says whether all threads of a process have a real-time policy, as ebb's have while it
// governs.
func ahead(pid int) bool {
	stats, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, name := range stats {
		b, err := os.ReadFile(name)
		if err != nil {
			return false
		}
		if s, err := proc.ParseStat(string(b)); err != nil || s.Policy == unix.SCHED_NORMAL {
			return false
		}
	}
	return len(stats) > 0
}

func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(hung); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in %v: %s", hung, what)
		}
	}
}

// guardians are the guardians that process pid has started.
func guardians(t testing.TB, pid int) []int {
	t.Helper()
	return inRole(t, "__guardian", pid)
}

// inRole are the processes that process pid has started of itself by a subcommand.
func inRole(t testing.TB, role string, pid int) (found []int) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		b, err := os.ReadFile(line)
		if err == nil && strings.HasPrefix(string(b),
			fmt.Sprintf("ebb\x00%s\x00%d\x00", role, pid)) {
			id, err := strconv.Atoi(filepath.Base(filepath.Dir(line)))
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, id)
		}
	}
	return found
}

// back waits until the frequencies are as they were, and returns how long that took since a moment.
func (g *guarded) back(since time.Time, within time.Duration) time.Duration {
	g.t.Helper()
	for {
		now := g.controls()
		took := time.Since(since)
		if same := now["scaling_governor"] == g.before["scaling_governor"]; same {
			for name, value := range g.before {
				if got := g.controls()[name]; got != value {
					g.t.Errorf("%s is %q, was %q", name, got, value)
				}
			}
			if took > within && within > 0 {
				g.t.Errorf("back after %v, not within %v", took, within)
			}
			return took
		}
		if within == 0 || took > devtest.Hung {
			g.t.Fatalf("not back after %v: %v", took, now)
		}
		time.Sleep(time.Millisecond)
	}
}

func (g *guarded) gone() bool {
	_, err := os.Stat(g.runDir)
	return errors.Is(err, fs.ErrNotExist)
}

// moments runs round at so many random moments of a run, and logs how long it took until the
// frequencies were back.
func moments(t *testing.T, round func(t *testing.T, g *guarded) time.Duration) {
	t.Helper()
	needRoot(t)
	rounds, err := strconv.Atoi(os.Getenv(momentsEnv))
	if err != nil {
		rounds = devtest.Cases(4, 2)
	}
	rnd := devtest.Rand(t)
	program := workload(t, "contend", "2", "600")
	var took []time.Duration
	for i := range rounds {
		g := takeHold(t, program...)
		after := time.Duration(rnd.Int64N(int64(700 * time.Millisecond)))
		time.Sleep(after)
		took = append(took, round(t, g))
		_ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
		_ = g.cmd.Wait() // it was killed
		if t.Failed() {
			t.Fatalf("round %d, %v after ebb began to govern", i, after)
		}
	}
	slices.Sort(took)
	t.Logf("%d moments: the frequencies were back after %v (median), %v (longest)", rounds,
		took[len(took)/2], took[len(took)-1])
}
