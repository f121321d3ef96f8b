package hostile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// attackOwnerAtStart: the user who owns the cgroup that ebb was started in acts on it while the
// command begins there.
func attackOwnerAtStart(t *testing.T) {
	second, first := cgroup2(t), "/sys/fs/cgroup/freezer"
	for name, c := range map[string]struct {
		root, file string
		values     []string // that are set in turn; the last ends it
	}{
		"frozen":              {second, "cgroup.freeze", []string{"1", "0"}},
		"frozen by version 1": {first, "freezer.state", []string{"FROZEN", "THAWED"}},
		"frozen and thawed":   {second, "cgroup.freeze", []string{"1", "0", "1", "0"}},
		"frozen and thawed, version 1": {first, "freezer.state",
			[]string{"FROZEN", "THAWED", "THAWED"}},
		"killed": {second, "cgroup.kill", []string{"1", "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := lay(t)
			last := c.values[len(c.values)-1]
			scope := delegated(t, c.root, func(scope string) {
				_ = os.WriteFile(filepath.Join(scope, c.file), []byte(last), 0)
			})
			if _, err := os.Stat(filepath.Join(scope, c.file)); scope == "" || err != nil {
				t.Skip("there is no such attribute here: ", err)
			}
			random := devtest.Rand(t)
			act, stop, stopped := make(chan bool), make(chan bool), make(chan bool)
			go func() {
				defer close(stopped)
				set := func(value string) {
					_ = os.WriteFile(filepath.Join(scope, c.file), []byte(value), 0)
				}
				<-act
				for i := 0; ; i++ {
					set(c.values[i%len(c.values)])
					pause := time.Duration(random.IntN(3000)) * time.Microsecond
					if len(c.values) == 2 && c.file != "cgroup.kill" {
						pause = time.Hour
					}
					select {
					case <-stop:
						set(last)
						return
					case <-time.After(pause):
					}
				}
			}()
			r := b.inGroup(t, scope, "", append(append(b.nobodys("--duration", "1s"), "--"),
				attacker("spin", "20")...)...)
			defer func() {
				close(stop)
				<-stopped
			}()
			r.until("ebb leaves its cgroup", 20*time.Second, func() bool {
				procs, err := os.ReadFile(filepath.Join(scope, "cgroup.procs"))
				return err != nil || b.touched() || r.within(0) ||
					r.left(strings.Fields(string(procs)))
			})
			close(act)
			if !r.within(30 * time.Second) { // ebb may have to open what it needs
				t.Fatalf("ebb does not end: %s", r.stderr())
			}
			if b.touched() {
				t.Error("the clocks are as ebb set them")
			}
			if code := r.cmd.ProcessState.ExitCode(); code < 0 {
				t.Errorf("ebb was ended: %v", r.cmd.ProcessState)
			}
			out, err := exec.Command(ebbPath(), append([]string{"restore"}, b.machine()...)...).
				CombinedOutput()
			if err != nil || !strings.Contains(string(out), "nothing to restore") {
				t.Errorf("something holds what was ebb's: %v, %s", err, out)
			}
			r.holds()
			t.Logf("it ends with %v: %s", r.cmd.ProcessState, r.stderr())
		})
	}
}

// left reports whether ebb was in the cgroup of these processes, and is not any more.
func (r *running) left(procs []string) bool {
	if len(procs) > 0 {
		r.entered = true
	}
	return r.entered && len(procs) == 0
}

// attackOwnerAtStartForGood: the same without an end, and without --duration.
func attackOwnerAtStartForGood(t *testing.T) {
	b := lay(t)
	scope := delegated(t, cgroup2(t), func(scope string) {
		_ = os.WriteFile(filepath.Join(scope, "cgroup.freeze"), []byte("0"), 0)
	})
	r := b.inGroup(t, scope, "", append(append(b.nobodys(), "--"), attacker("spin", "20")...)...)
	defer attribute(t, scope, "cgroup.freeze", "0")
	r.until("ebb leaves its cgroup", 20*time.Second, func() bool {
		procs, err := os.ReadFile(filepath.Join(scope, "cgroup.procs"))
		return err == nil && r.left(strings.Fields(string(procs)))
	})
	attribute(t, scope, "cgroup.freeze", "1")
	r.governs()
	asked := time.Now()
	r.signal(syscall.SIGTERM)
	if !r.within(maxEnd) {
		r.signal(syscall.SIGTERM)
	}
	if !r.within(maxEnd) {
		t.Error("ebb still runs after TERM, sent twice")
	}
	r.clocksBack(asked)
	r.holds()
}
