package vm

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	policies   = "/sys/devices/system/cpu/cpufreq/"
	parameters = "/sys/module/platform/parameters/"
)

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

func write(t testing.TB, path, value string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(value), 0); err != nil {
		t.Fatal(err)
	}
}

// put writes a control and waits until it reads so: the kernel applies limits in a worker of its
// own.
func put(t testing.TB, path, value string) {
	t.Helper()
	write(t, path, value)
	for start := time.Now(); read(t, path) != value; time.Sleep(time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatalf("%s: wrote %s, reads %s", path, value, read(t, path))
		}
	}
}

// fault sets a parameter of the platform for the rest of the test.
func fault(t testing.TB, parameter, value string) {
	t.Helper()
	path := parameters + parameter
	before := read(t, path)
	write(t, path, value)
	t.Cleanup(func() { write(t, path, before) })
}

// during does something in the middle of the governed run that begins now. How long ebb takes to
// start depends on what the machine has in its caches.
func during(t testing.TB, do func()) {
	t.Helper()
	last, done := newest(t), make(chan bool)
	go func() {
		defer close(done)
		begun(t, last)
		time.Sleep(560 * time.Millisecond)
		do()
	}()
	t.Cleanup(func() { <-done })
}

// awaitLow waits for a request of less than 3.3 GHz, for a while. To look takes time from the load:
// runs that are compared all do it.
func awaitLow(t testing.TB) {
	t.Helper()
	for range 10 {
		if khz, err := strconv.Atoi(read(t, policies+"policy0/scaling_setspeed")); err == nil &&
			khz < 3300000 {
			return
		}
		time.Sleep(40 * time.Millisecond)
	}
}

// newest is the process that was made last (proc(5), /proc/loadavg).
func newest(t testing.TB) int {
	t.Helper()
	fields := strings.Fields(read(t, "/proc/loadavg"))
	pid, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// begun waits for the begin of a load that is younger than the process last. It reads younger
// processes only: reading all takes 40 ms here, of the CPU that the load runs on.
func begun(t testing.TB, last int) {
	t.Helper()
	for start := time.Now(); time.Since(start) < patience; time.Sleep(2 * time.Millisecond) {
		for pid := newest(t); pid > last; pid-- {
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			if err == nil && strings.HasPrefix(string(b), "/bin/load\x00") {
				return
			}
		}
	}
	t.Error("the load does not begin")
}

// controls are the values of every control that ebb may write, by path. Those of a policy without a
// CPU cannot be read.
func controls(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range []string{"scaling_governor", "scaling_min_freq", "scaling_max_freq",
		"scaling_setspeed"} {
		paths, err := filepath.Glob(policies + "policy*/" + name)
		if err != nil || len(paths) == 0 {
			t.Fatal("no policies", err)
		}
		for _, p := range paths {
			b, err := os.ReadFile(p)
			if err != nil && !errors.Is(err, unix.EBUSY) {
				t.Fatal(err)
			}
			all[p] = string(b)
		}
	}
	return all
}

func same(t testing.TB, got, want map[string]string) {
	t.Helper()
	for path, w := range want {
		if got[path] != w {
			t.Errorf("%s: %q, was %q", path, got[path], w)
		}
	}
}

// keep sets every policy to a frequency by hand, until the test's end.
func keep(t testing.TB, khz int) {
	t.Helper()
	dirs, _ := filepath.Glob(policies + "policy*")
	for _, d := range dirs {
		if g := d + "/scaling_governor"; read(t, g) != "userspace" {
			before := read(t, g)
			write(t, g, "userspace")
			t.Cleanup(func() { write(t, g, before) })
		}
		write(t, d+"/scaling_setspeed", strconv.Itoa(khz))
	}
}

// states are the frequencies of the first policy in kHz, descending.
func states(t testing.TB) []int {
	t.Helper()
	var out []int
	for f := range strings.FieldsSeq(read(t, policies+"policy0/scaling_available_frequencies")) {
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	if out[0] < out[len(out)-1] {
		for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
			out[i], out[j] = out[j], out[i]
		}
	}
	return out
}

// usage is what a load took.
type usage struct {
	time           time.Duration
	package_, dram float64 // J
}

func (u usage) joules() float64 { return u.package_ + u.dram }

func (u usage) String() string {
	return fmt.Sprintf("%.4f s, package %.3f J, dram %.3f J", u.time.Seconds(), u.package_, u.dram)
}

// usageOf reads what a load has printed. Without meters there is only the time.
func usageOf(t testing.TB, out string) usage {
	t.Helper()
	var ns, p, d int64
	if _, err := fmt.Sscanf(out, "ns %d package_uj %d dram_uj %d", &ns, &p, &d); err != nil ||
		ns == 0 {
		t.Fatalf("a load printed %q: %v", out, err)
	}
	return usage{time.Duration(ns), float64(p) / 1e6, float64(d) / 1e6}
}

// result is the output and the end of a command.
type result struct {
	out, err string
	code     int
}

// patience is the time limit of a command, on a busy host; a Go program then prints its goroutines.
const patience = 5 * time.Minute

func command(t testing.TB, name string, args ...string) result {
	t.Helper()
	// not while it runs: Go collects at least every two minutes, which takes energy and time from
	// what is measured
	debug.FreeOSMemory()
	var out, errs bytes.Buffer
	c := exec.Command(name, args...)
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(patience, func() { _ = c.Process.Signal(unix.SIGQUIT) })
	_ = c.Wait() // the status has it
	if !late.Stop() {
		t.Fatalf("%s %v took more than %v: %s", name, args, patience, errs.String())
	}
	return result{out.String(), errs.String(), c.ProcessState.ExitCode()}
}

// settle waits until nothing else runs: after its start a kernel has work to do.
func settle(t testing.TB) {
	t.Helper()
	for range 50 {
		before := idle(t)
		time.Sleep(200 * time.Millisecond)
		if idle(t)-before >= 19 {
			return
		}
	}
	t.Fatal("the machine does not come to rest")
}

// idle is the idle time of all CPUs, in ticks of 10 ms (proc(5)).
func idle(t testing.TB) int {
	t.Helper()
	n, err := strconv.Atoi(strings.Fields(read(t, "/proc/stat"))[4])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
