package vm

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// What Debian 12's own kernel, Linux 6.1, has and has not: docs/kernels.md. tools/test-vm.sh
// boots it for these tests and TestTutorial.

// TestOldDoctor: the doctor says what this kernel lacks, and that ebb runs.
func TestOldDoctor(t *testing.T) {
	if release := read(t, "/proc/sys/kernel/osrelease"); !strings.HasPrefix(release, "6.1.") {
		t.Fatal("this is Linux ", release)
	}
	r := command(t, "/bin/ebb", "doctor")
	t.Log(r.out)
	says(t, r.out, "tracing good", "timers are late by the time of arming them",
		"network warning no --network", "(Linux 6.3)",
		"JVM probes warning no --collector-phases", "(Linux 6.6)", "counters good",
		"energy meter good", "ebb run good sets the frequency by setspeed")
	if r.code != 0 {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
}

// TestOldBudget: the governor keeps its budget by the stopwatch and by its own account, saves
// energy, and loses nothing on the way. The recording of the run replays.
func TestOldBudget(t *testing.T) {
	const recording = "/tmp/old.ebb"
	settle(t)
	work := memoryBound
	plain, top := at(t, states(t)[0], work), highest(t, work)
	u, rep, r := governed(t, work, "--slowdown", "5%", "--record", recording)
	slow := u.time.Seconds()/plain.time.Seconds() - 1
	t.Logf("governed: %v: slowdown %.2f %%, energy %+.1f %% against the highest frequency; drops "+
		"%v", u, 100*slow, 100*(u.joules()/top.joules()-1), rep.Drops)
	if slow > 0.055 || u.joules() > 0.9*top.joules() {
		t.Errorf("the budget or the saving is missed: %s", r.err)
	}
	checkReport(t, &rep, u)
	for what, n := range rep.Drops {
		if n != 0 {
			t.Errorf("%s: %d", what, n)
		}
	}
	r = command(t, "/bin/ebb", "replay", recording)
	if r.code != 0 {
		t.Errorf("it does not replay: %+v", r)
	}
}

// withEvents is a power model that wants an event of JVMs, and a simpler one.
const withEvents = `{"ebbmodel":1,"learner":"ridge","tier":"jvm","provenance":{"cpus":1},
"inputs":[{"name":"cpu_busy","range":[0,100]},{"name":"jvm_gc_count","range":[0,100]}],
"power_w":[9,50],"line":{"base_w":10,"weights_w":[30,1],"means":[0.5,1]},
"simpler":{"learner":"ridge","tier":"os","provenance":{"cpus":1},
"inputs":[{"name":"cpu_busy","range":[0,100]}],
"power_w":[9,50],"line":{"base_w":10,"weights_w":[30],"means":[0.5]}}}`

// TestOldWithoutProbes: probes of a JVM need Linux 6.6. The phases of its collector were asked for,
// and are refused; a power model does without its events, and says so.
func TestOldWithoutProbes(t *testing.T) {
	const library, model = "/tmp/libjvm.so", "/tmp/events.ebbmodel"
	if err := os.WriteFile(library, devtest.JVMRuntime([]byte("\x90\x90"), devtest.USDTCodeAt,
		devtest.USDTCodeAt+1), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, model, withEvents)
	r := command(t, "/bin/ebb", "run", "--collector-phases="+library, "--", "/bin/load", "a", "1")
	if r.code != 1 || strings.Contains(r.out, "ns ") {
		t.Errorf("it was not refused: %+v", r)
	}
	says(t, r.err, "--collector-phases", "attach to all probes of a file (Linux 6.6)")

	fault(t, "zones", "0")
	long := computeBound.of(2 * medium) // a second, of which percents are said
	_, rep, r := governed(t, long, "--methods", "--power-model", model,
		"--other-machine")
	says(t, strings.Join(rep.Warnings, "\n"), "the power model does without the events of JVMs",
		"(Linux 6.6)")
	says(t, r.err, "the reference processor")
}

// TestOldNetwork: bytes are counted at tracepoints of Linux 6.3.
func TestOldNetwork(t *testing.T) {
	r := command(t, "/bin/ebb", "run", "--network", "--", "/bin/load", "a", "1")
	if r.code != 1 || strings.Contains(r.out, "ns ") {
		t.Errorf("it was not refused: %+v", r)
	}
	says(t, r.err, "cannot count network bytes", "(Linux 6.3)")
}

// TestOldGroups: a whole machine's groups are counted and divided here as well. All parts are the
// meter's figure, and a group has the CPU time that the kernel gives it.
func TestOldGroups(t *testing.T) {
	dirs := cgroups(t, "work.service", "ebb.service")
	settle(t)
	meterAnew(t)
	f := follow(t, dirs[1], 250*time.Millisecond)
	f.line(t, 6) // the machine sleeps: its idle power
	var used time.Duration
	for range 4 {
		work := loadIn(t, dirs[0], computeBound.of(2*long))
		if err := work.Wait(); err != nil {
			t.Fatal(err)
		}
		used += work.ProcessState.UserTime() + work.ProcessState.SystemTime()
	}
	r := f.end(t)
	judgeParts(t, &r)
	_, ran := grouped(&r, "work.service", 0)
	if off := ran - used.Seconds(); math.Abs(off) > 0.05*used.Seconds() {
		t.Errorf("%.3f s of the group, and %.3f by the kernel", ran, used.Seconds())
	}
	t.Logf("%.3f s of the group, and %.3f by the kernel", ran, used.Seconds())
}

// TestOldWays: the ways of kernels before 5.18 hold on this one as well.
func TestOldWays(t *testing.T) {
	tracer(t, "^TestOldWays$/^(exact|asleep|timers|wakes|the_end|tried_again)$")
}

// TestOldCgroup: whose a thread is by its cgroup is found through typed pointers here as well.
func TestOldCgroup(t *testing.T) { inCgroup(t) }
