package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestContainerWritesNothing: where the end of a container would end ebb with its guardian, ebb
// says so and writes nothing, unless that is accepted and the host shares the run directory.
func TestContainerWritesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		how    []string
		accept string
		code   int
		says   string
	}{
		"PIDs":              {ownPIDs, "", 0, "--accept-container-end"},
		"cgroups":           {[]string{"--cgroup"}, "", 0, "a cgroup namespace"},
		"accepted, unknown": {ownPIDs, "--accept-container-end", 1, "not mounted from the host's"},
	} {
		t.Run(name, func(t *testing.T) {
			nothingLeft(t)
			tree := devtest.Tree(t, devtest.Desktop)
			runDir := filepath.Join(t.TempDir(), "run")
			begin := changed(t, tree)
			args := []string{ebbPath(t), "run", "--sysfs", tree, "--run-dir", runDir}
			if c.accept != "" {
				args = append(args, c.accept)
			}
			r := finish(t, unshared(t, c.how, append(args, "--", "true")...))
			said := strings.Join(strings.Fields(r.stderr), " ")
			if r.code != c.code || !strings.Contains(said, c.says) {
				t.Errorf("status %d, want %d and %q: %s", r.code, c.code, c.says, r.stderr)
			}
			if now := changed(t, tree); now != begin {
				t.Errorf("a control was written at %v", now)
			}
			if _, err := os.Stat(runDir); err == nil {
				t.Errorf("%s is left", runDir)
			}
		})
	}
}

// changed is when a control of a tree was last written.
func changed(t *testing.T, tree string) (last time.Time) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(tree, "devices/system/cpu/cpufreq/policy0/scaling_*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// TestContainerEnd: a container's first process is killed, and with it ebb, guardian and deputy at
// once. On the host the run directory's lock shows it, and what waits there puts the clocks back.
func TestContainerEnd(t *testing.T) {
	nothingLeft(t)
	g := &guarded{t: t, tree: devtest.Tree(t, devtest.Desktop),
		runDir: filepath.Join(t.TempDir(), "run")}
	g.before = g.controls()
	if err := os.Mkdir(g.runDir, 0o700); err != nil {
		t.Fatal(err)
	}
	container := unshared(t, ownPIDs, "sh", "-c",
		`mount --bind "$1" "$1" && "$2" run --quiet --accept-container-end --sysfs "$3" `+
			`--run-dir "$1" -- sleep 100000; exit $?`, "sh", g.runDir, ebbPath(t), g.tree)
	if err := container.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = container.Cancel()
		_ = container.Wait()
	})
	first := child(t, container.Process.Pid, "sh")
	child(t, child(t, first, "ebb"), "sleep")
	if now := g.controls(); now["scaling_governor"] != "userspace" {
		t.Fatalf("it governs with %v", now)
	}
	waiting := command(t, "restore", "--wait", "--sysfs", g.tree, "--run-dir", g.runDir)
	var out strings.Builder
	waiting.Stdout = &out
	if err := waiting.Start(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := waiting.Wait(); err != nil || !strings.Contains(out.String(), "restored") {
		t.Errorf("%v: %s", err, &out)
	}
	g.back(time.Now(), backWithin)
}
