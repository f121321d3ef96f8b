package vm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// kills is the default number of times that ebb is killed; the kernel's command line can set
// another. Each takes about one and a half seconds.
const kills = 8

// Ebb is killed at random moments of a run, and its guardian lives: everything is as it was,
// without ebb restore.
func TestGuardian(t *testing.T) {
	for range guardedKills {
		before := controls(t)
		killGuarded(t, 100*time.Millisecond)
		same(t, controls(t), before)
	}
}

// guardedKills is the number of kills in TestGuardian.
const guardedKills = 3

// Ebb and its guardian are killed at random moments of a run. After ebb restore everything is as it
// was, but for what another program changed meanwhile, which stays.
func TestKilled(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv("kills"))
	if err != nil {
		rounds = kills
	}
	rnd := devtest.Rand(t)
	changed, foreign := 0, 0
	for range rounds {
		before := controls(t)
		kill(t, time.Duration(rnd.Int64N(int64(700*time.Millisecond))))
		after := controls(t)
		for path := range before {
			if after[path] != before[path] {
				changed++
				break
			}
		}
		path, own := "", ""
		if rnd.IntN(2) == 0 {
			path = policies + "policy0/" +
				[]string{"scaling_max_freq", "scaling_min_freq", "scaling_governor"}[rnd.IntN(3)]
			value := strconv.Itoa(states(t)[1+rnd.IntN(3)])
			if strings.HasSuffix(path, "governor") {
				value = "performance"
			}
			own = strings.TrimSpace(before[path])
			write(t, path, value)
			before[path] = value + "\n"
			foreign++
		}
		if r := command(t, "/bin/ebb", "restore"); r.code != 0 ||
			!strings.Contains(r.out, " 0 failed") {
			t.Fatalf("restore: %+v", r)
		}
		same(t, controls(t), before)
		if r := command(t, "/bin/ebb", "restore"); r.code != 0 ||
			!strings.Contains(r.out, "nothing to restore") {
			t.Errorf("restored twice: %+v", r)
		}
		if t.Failed() {
			t.FailNow()
		}
		if path != "" {
			put(t, path, own)
		}
	}
	t.Logf("killed %d times: %d left the machine changed, %d with another's change", rounds,
		changed, foreign)
	if changed == 0 || foreign == 0 {
		t.Error("the test shows nothing")
	}
}

// kill starts a run, and some time after the snapshot is there kills ebb, its guardian, the deputy
// and the load, which lives on.
func kill(t *testing.T, after time.Duration) {
	t.Helper()
	c := govern(t, after)
	// Stopped first, so that none sees another's end.
	pids := append(processes(t, "ebb"), c.Process.Pid)
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		for _, p := range pids {
			if err := syscall.Kill(p, sig); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = c.Wait()
	for _, p := range pids {
		// the guardian is this process's, as the first one, by now
		_, _ = syscall.Wait4(p, nil, 0, nil)
	}
	endLoads(t)
}

// govern starts a run and returns some time after its guardian and the deputy have begun and the
// snapshot is there, which is before the first write.
func govern(t *testing.T, after time.Duration) *exec.Cmd {
	t.Helper()
	return governBy(t, after, append([]string{"-q", "--slowdown", "10%", "--", "/bin/load"},
		mixed.of(100*long).args()...)...)
}

// governBy is govern with the arguments of ebb run.
func governBy(t *testing.T, after time.Duration, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command("/bin/ebb", append([]string{"run"}, args...)...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for try := 0; ; try++ {
		_, err := os.Stat("/run/ebb/snapshot.json")
		if err == nil && len(processes(t, "ebb")) == 2 { // their name for themselves
			break
		}
		if try > 30000 {
			t.Fatalf("ebb has started no guardian or no deputy, or made no snapshot (%v)", err)
		}
		time.Sleep(2 * time.Millisecond)
	}
	time.Sleep(after)
	return c
}

// endLoads ends the loads that have outlived their ebb.
func endLoads(t *testing.T) {
	t.Helper()
	for _, p := range processes(t, "/bin/load") {
		_ = syscall.Kill(p, syscall.SIGKILL)
		_, _ = syscall.Wait4(p, nil, 0, nil)
	}
}

// processes are those whose command is path.
func processes(t testing.TB, path string) []int {
	t.Helper()
	var out []int
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		b, err := os.ReadFile(l)
		if name, _, _ := strings.Cut(string(b), "\x00"); err == nil && name == path {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(l)))
			out = append(out, pid)
		}
	}
	return out
}
