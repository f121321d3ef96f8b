package bpf

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
)

// quotaGroup makes a cgroup with a tenth of a CPU, in whichever hierarchy has the CPU controller.
func quotaGroup(t *testing.T) string {
	t.Helper()
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(mounts), "\n") {
		f := strings.Fields(line)
		if len(f) < 4 || f[2] != "cgroup" && f[2] != "cgroup2" {
			continue
		}
		dir := filepath.Join(f[1], "ebb-throttled-test")
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() {
			if err := os.Remove(dir); err != nil {
				t.Error(err)
			}
		})
		write := func(name, text string) bool {
			return os.WriteFile(filepath.Join(dir, name), []byte(text), 0) == nil
		}
		// A high weight, as a program that does not get its share is not throttled.
		if write("cpu.max", "2000 20000") && write("cpu.weight", "10000") ||
			write("cpu.cfs_period_us", "20000") && write("cpu.cfs_quota_us", "2000") &&
				write("cpu.shares", "262144") {
			return dir
		}
	}
	t.Skip("no hierarchy of cgroups has the CPU controller")
	return ""
}

// TestThrottled: a program with a tenth of a CPU is throttled, and one without a quota is not.
func TestThrottled(t *testing.T) {
	program := compile(t, "../../test/workloads/c/spin.c")
	run := func(cmd *exec.Cmd) (throttled, preempted int) {
		tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
		r := drain(tr, func(ev *epochs.Event) {
			switch {
			case ev.Kind == epochs.Off && ev.Cause == epochs.Throttled:
				throttled++
			case ev.Kind == epochs.Off && ev.Cause == epochs.Preempted:
				preempted++
			}
		})
		launch(t, tr, cmd)
		r.finish(t)
		return throttled, preempted
	}
	if n, _ := run(exec.Command(program, "20")); n > 0 {
		t.Errorf("throttled %d times without a quota", n)
	}
	dir := quotaGroup(t)
	n, others := run(exec.Command("sh", "-c", `echo $$ >"$1/cgroup.procs" && exec "$2" 20`, "sh",
		dir, program))
	// 20 million steps take 10 ms of CPU time and more: five quotas.
	if n < 3 {
		t.Errorf("throttled %d times, preempted %d times", n, others)
	}
}
