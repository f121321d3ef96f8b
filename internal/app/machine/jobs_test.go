package machine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy/groups"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// slurmReader builds the reader of Slurm's plugin.
func slurmReader(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"cc", "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed: nobody reads the file for Slurm", tool)
		}
	}
	out := t.TempDir()
	cmd := exec.Command("make", "-s", "-C", "../../../tools/slurm", "OUT="+out, out+"/reader")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return filepath.Join(out, "reader")
}

// TestSlurmReadsJobs: the plugin's reader finds a step's energy in the file that ebb writes, and
// nothing where the file does not say what the whole step has used.
func TestSlurmReadsJobs(t *testing.T) {
	reader := slurmReader(t)
	r := exampleOf(t, groups.NoShare)
	now := monotonic.Now()
	before := now.Add(-time.Minute)
	whole := string(r.jobs(before, now, time.Second))
	unmetered := exampleOf(t, groups.NoShare)
	unmetered.unmeter()
	for _, c := range []struct{ what, text, step, want string }{
		{"a step", whole, "123.0", "24000000000"},
		{"a step whose name is a part of another's", whole, "123", "unknown"},
		{"a longer name", whole, "123.01", "unknown"},
		{"no job", whole, "ssh.service", "unknown"},
		{"no meter", string(unmetered.jobs(before, now, time.Second)), "123.0", "unknown"},
		{"ebb came later", string(r.jobs(now.Add(time.Minute), now, time.Second)), "123.0",
			"unknown"},
		{"ebb is gone", string(r.jobs(before, now.Add(-time.Minute), time.Second)), "123.0",
			"unknown"},
		{"a file of the boot before", string(r.jobs(before, now.Add(time.Hour), time.Second)),
			"123.0", "unknown"},
		{"a long interval", string(r.jobs(before, now.Add(-20*time.Second), time.Minute)),
			"123.0", "24000000000"},
		{"another version", strings.Replace(whole, "jobs 1", "jobs 2", 1), "123.0", "unknown"},
		{"nothing", "", "123.0", "unknown"},
		{"half a line", strings.TrimSuffix(whole, "123.0\n"), "123.0", "unknown"},
		{"no end", strings.TrimSuffix(whole, "\n"), "123.0", "unknown"},
		{"a negative number", strings.Replace(whole, "\n2", "\n-2", 1), "123.0", "unknown"},
		{"too large a number", strings.Replace(whole, "\n2", "\n99999999999999999999", 1),
			"123.0", "unknown"},
		{"too much", whole + strings.Repeat("0 x\n", 2<<20), "123.0", "unknown"},
	} {
		path := filepath.Join(t.TempDir(), "jobs")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := read(reader, path, c.step, now); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, t.TempDir(), "/nonexistent"} {
		if got := read(reader, path, "123.0", now); got != "unknown" {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// read is what the reader says of a step that began at a time.
func read(reader, path, step string, began units.Instant) string {
	out, _ := exec.Command(reader, path, step, fmt.Sprint(int64(began))).Output()
	return strings.TrimSpace(string(out))
}

// TestSlurmFindsItsStep: the plugin finds its step in a cgroup of either version, by the name that
// ebb gives it.
func TestSlurmFindsItsStep(t *testing.T) {
	reader := slurmReader(t)
	for text, want := range map[string]string{
		"5:freezer:/slurm/uid_1000/job_7/step_0/task_0\n":                   "7.0",
		"9:cpu:/\n5:freezer:/slurm_n0/uid_0/job_12/step_batch\n0::/\n":      "12.batch",
		"0::/system.slice/slurmstepd.scope/job_7/step_extern/user/task_0\n": "7.extern",
		"0::/system.slice/n0_slurmstepd.scope/job_4294967295/step_9\n":      "4294967295.9",
		"0::/system.slice/slurmd.service\n":                                 "none",
		"0::/system.slice/slurmstepd.scope/job_x/step_0\n":                  "none",
		"0::/system.slice/slurmstepd.scope/job_7\n1:x:/step_0\n":            "none",
		"0::/system.slice/slurmstepd.scope/job_7/step_\n":                   "none",
		"": "none",
		"0::/slurm/uid_0/job_7/step_" + strings.Repeat("x", 4096) + "\n":           "none",
		"0::/job_" + strings.Repeat("9", 4096) + "/step_0\n":                       "none",
		"0::/a/job_/job_1/x/job_2/step_3\n":                                        "2.3",
		"3:name=a/b:/x\n5:memory:/slurm/uid_1/job_1/step_0\n5:pids:/slurm/uid_1\n": "1.0",
	} {
		cmd := exec.Command(reader, "step")
		cmd.Stdin = strings.NewReader(text)
		out, _ := cmd.Output()
		if got := strings.TrimSpace(string(out)); got != want {
			t.Errorf("%.60q: %q, want %q", text, got, want)
		}
	}
}

// TestSlurmFindsItsChildrensStep: where Slurm's process is in no step, its children are, and of
// very many it looks at the first.
func TestSlurmFindsItsChildrensStep(t *testing.T) {
	reader := slurmReader(t)
	h, err := cgroup.OpenHierarchy("")
	if err != nil {
		t.Skip(err)
	}
	defer h.Close()
	dir := filepath.Join(h.Root, fmt.Sprintf("ebb-test-%d", os.Getpid()))
	step := filepath.Join(dir, "job_7", "step_0")
	if err := os.MkdirAll(step, 0o755); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		for _, d := range []string{step, filepath.Dir(step), dir} {
			if err := os.Remove(d); err != nil {
				t.Error(err)
			}
		}
	})
	own := func(before int) string {
		// The shell becomes the reader, whose children they then are.
		cmd := exec.Command("sh", "-c", fmt.Sprintf("i=0; while [ $i -lt %d ]; do "+
			"sleep 60 >/dev/null 2>&1 & i=$((i+1)); done; "+
			"sh -c 'echo $$ > %s/cgroup.procs; exec sleep 60' >/dev/null 2>&1 & "+
			"while ! grep -q . %s/cgroup.procs; do sleep 0.01; done; exec %s own", before, step,
			step, reader))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		out, _ := cmd.Output()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		for range 500 { // the last of them may still end
			text, err := os.ReadFile(filepath.Join(step, "cgroup.procs"))
			if err != nil || len(text) == 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		return strings.TrimSpace(string(out))
	}
	for _, c := range []struct {
		before int
		want   string
	}{{0, "7.0"}, {60, "7.0"}, {64, "none"}} {
		got := own(c.before)
		// Beside others the reader's 50 ms may be over before, and it says "none".
		for end := time.Now().Add(devtest.Hung); got == "none" && c.want != "none" &&
			time.Now().Before(end); {
			got = own(c.before)
		}
		if got != c.want {
			t.Errorf("behind %d others: %q, want %q", c.before, got, c.want)
		}
	}
}
