package vm

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// Kernels as people have them: docs/kernels.md. tools/test-vm.sh boots each for the tests of its
// name: Locked in lockdown (confidentiality), RealTime with PREEMPT_RT, Ancient with Linux 5.10.
// None of them has the platform's clock.

// shares runs two functions of equal work with the methods and returns each one's CPU time in s.
func shares(t *testing.T) map[string]float64 {
	t.Helper()
	const file = "/tmp/methods.json"
	r := command(t, "/bin/ebb", "run", "--methods", "--rate", "997", "--quantum", quantum,
		"--report", file, "--", "/bin/load", "first@0", "100000000", "second@0", "100000000", "x4")
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	var rep struct {
		Lost        int `json:"lost_records"`
		Attribution struct {
			Frames []struct{ Name string }
			Stacks []struct {
				Frames []int
				CPU    int64 `json:"cpu_ns"`
			}
		}
	}
	if err := json.Unmarshal([]byte(read(t, file)), &rep); err != nil {
		t.Fatal(err)
	}
	took := map[string]float64{}
	for _, s := range rep.Attribution.Stacks {
		if len(s.Frames) > 0 {
			took[rep.Attribution.Frames[s.Frames[0]].Name] += float64(s.CPU) / 1e9
		}
	}
	t.Log(took, rep.Lost, " lost; ", r.err)
	share := took["first"] / (took["first"] + took["second"])
	if math.Abs(share-0.5) > 0.05 || rep.Lost != 0 {
		t.Errorf("the first function has %.1f %%, %d records are lost", 100*share, rep.Lost)
	}
	return took
}

// TestLocked: in lockdown (confidentiality) everything that reads what the kernel knows works.
func TestLocked(t *testing.T) {
	if level := read(t, "/sys/kernel/security/lockdown"); !strings.Contains(level,
		"[confidentiality]") {
		t.Fatal("this kernel is in ", level)
	}
	r := command(t, "/bin/ebb", "doctor")
	t.Log(r.out)
	says(t, r.out, "lockdown good lockdown (confidentiality): tracing, governing, --methods",
		"tracing good")
	if r.code != 0 {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
	shares(t)
	const library, model = "/tmp/libjvm.so", "/tmp/events.ebbmodel"
	if err := os.WriteFile(library, devtest.JVMRuntime([]byte("\x90\x90"), devtest.USDTCodeAt,
		devtest.USDTCodeAt+1), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, model, withEvents)
	for name, flags := range map[string][]string{
		"run": {}, "network": {"--network", "--methods"},
		"count":       {"--count", "first", "--count-stepped"},
		"functions":   {"--functions"},
		"collector":   {"--collector-phases=" + library},
		"power model": {"--methods", "--power-model", model, "--other-machine"},
	} {
		t.Run(name, func(t *testing.T) {
			rep, r := run(t, computeBound.of(short), flags...)
			t.Log(r.err)
			if r.code != 0 || rep.LostRecords != 0 {
				t.Errorf("exit %d, %d lost", r.code, rep.LostRecords)
			}
		})
	}
	inCgroup(t)
}

// inCgroup has ebb follow what is in a cgroup, and all cgroups of the machine.
func inCgroup(t *testing.T) {
	t.Helper()
	const root = "/sys/fs/cgroup"
	if err := unix.Mount("cgroup2", root, "cgroup2", 0, ""); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Unmount(root, 0); err != nil {
			t.Error(err)
		}
	}()
	if err := os.Mkdir(root+"/target", 0o755); err != nil {
		t.Fatal(err)
	}
	load := exec.Command("/bin/load", "a@0", "100000000000")
	if err := load.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = load.Process.Kill()
		_ = load.Wait()
		if err := unix.Rmdir(root + "/target"); err != nil {
			t.Error(err)
		}
	}()
	write(t, root+"/target/cgroup.procs", strconv.Itoa(load.Process.Pid))
	for _, args := range [][]string{
		{"run", "-v", "--quantum", quantum, "--cgroup", "target", "--duration", "1s"},
		{"energy", "--machine", "--for", "1s"},
	} {
		r := command(t, "/bin/ebb", args...)
		t.Log(r.err, r.out)
		if r.code != 0 || !strings.Contains(r.err+r.out, "target") {
			t.Errorf("%v: exit %d", args, r.code)
		}
	}
}

// TestRealTime: with PREEMPT_RT BPF has no timers. Shadow mode and methods work without.
func TestRealTime(t *testing.T) {
	const sentence = "this kernel is PREEMPT_RT, on which BPF has no timers"
	if version := read(t, "/proc/sys/kernel/version"); !strings.Contains(version, "PREEMPT_RT") {
		t.Fatal("this kernel is ", version)
	}
	r := command(t, "/bin/ebb", "doctor")
	t.Log(r.out)
	says(t, r.out, "tracing good", sentence)
	if r.code != 0 {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
	rep, r := run(t, computeBound.of(medium))
	t.Log(r.err)
	if r.code != 0 || rep.LostRecords != 0 {
		t.Errorf("exit %d, %d lost", r.code, rep.LostRecords)
	}
	shares(t)
	tracer(t, "^Test(FutexSleepsAreCountedExactly|WakeEndsEveryNext|NothingIsMissingAfterTheEnd)$")
}

// tracer runs tests of the package epochs/bpf.
func tracer(t *testing.T, tests string) {
	t.Helper()
	t.Setenv("EBB_COMPILED", "/bin")
	r := command(t, "/bin/tracer", "-test.v", "-test.run="+tests)
	t.Log(r.out)
	if r.code != 0 || !strings.Contains(r.out, "\nPASS\n") || strings.Contains(r.out, "no tests") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
}

// TestAncient: Linux 5.10 is refused in one sentence, before anything is loaded or started.
func TestAncient(t *testing.T) {
	const sentence = "this kernel is 5.10; ebb needs 6.1, or another one with task storage, BPF " +
		"timers, "
	r := command(t, "/bin/ebb", "doctor")
	t.Log(r.out)
	says(t, r.out, "kernel missing 5.10.", sentence, "ebb run missing refuses: ")
	if r.code == 0 {
		t.Error("the doctor finds nothing missing")
	}
	for name, args := range map[string][]string{
		"run": {"run"}, "methods": {"run", "--methods"}, "network": {"run", "--network"},
		"record": {"record", "--record", "/tmp/ancient.ebb"},
	} {
		r := command(t, "/bin/ebb", append(args, "--", "/bin/load", "a@0", "1")...)
		t.Log(name, r.err)
		if r.code != 1 || strings.Contains(r.out, "ns ") {
			t.Errorf("%s was not refused: %+v", name, r)
		}
		says(t, r.err, sentence)
	}
}
