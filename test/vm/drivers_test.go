package vm

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// limitDrivers are the drivers whose clock only the limits hold: one on a kernel without the
// userspace governor, and one that chooses the clock itself.
var limitDrivers = []struct{ name, fault string }{{"stepless", "refuse"}, {"active", "ignore"}}

// underDriver gives the platform another driver until the test's end. For "stepless" the kernel
// loses its userspace governor.
func underDriver(t *testing.T, name string) {
	t.Helper()
	fault(t, "driver", name)
	if name != "stepless" {
		return
	}
	if err := unix.DeleteModule("cpufreq_userspace", 0); err != nil {
		t.Fatal("unload cpufreq_userspace: ", err)
	}
	t.Cleanup(func() {
		if err := insert("cpufreq_userspace", ""); err != nil {
			t.Error(err)
		}
	})
}

// TestDrivers: on a driver that only limits hold, ebb finds that out, sets the limits, keeps its
// budget, saves energy, and restores everything. A lower clock takes the time that the physics say.
func TestDrivers(t *testing.T) {
	for _, d := range limitDrivers {
		t.Run(d.name, func(t *testing.T) {
			settle(t)
			underDriver(t, d.name)
			r := command(t, "/bin/ebb", "doctor")
			t.Log(r.out)
			says(t, r.out, "driver ebb-"+d.name, "1 GHz to 4 GHz in 31 states",
				"the driver lists none", "would try clamp",
				"not setspeed: policy0 has no userspace governor")

			load := memoryBound.of(medium)
			// The guest's only CPU may have other work in one of the runs, and not in all.
			var top usage
			ratio := 0.0
			for range 3 {
				top = fixed(t, load, 4000000)
				ratio = fixed(t, load, 2000000).time.Seconds() / top.time.Seconds()
				if math.Abs(ratio-1.1) <= 0.02 {
					break
				}
			}
			if math.Abs(ratio-1.1) > 0.02 {
				t.Errorf("at half the clock it takes %.3f times as long, want 1.1", ratio)
			}
			u, rep, r := governed(t, load, "--slowdown", "5%")
			slow, saved := u.time.Seconds()/top.time.Seconds()-1, 1-u.joules()/top.joules()
			t.Logf("governed: slowdown %.2f %%, %.1f %% saved; %v %v", 100*slow, 100*saved,
				rep.Refusals, rep.Warnings)
			if rep.Actuator != "clamp" || len(rep.Refusals)+len(rep.Foreign) != 0 {
				t.Errorf("actuator %s, %v %+v: %s", rep.Actuator, rep.Refusals, rep.Foreign, r.err)
			}
			if slow > 0.055 || saved < 0.05 {
				t.Errorf("the slowdown is %.2f %%, %.1f %% saved", 100*slow, 100*saved)
			}
		})
	}
}

// Nothing that ebb records changes a control. Where no request has an effect, whether the driver
// refuses them or takes them, ebb finds that out and goes on without writing.
func TestDriversObserve(t *testing.T) {
	for _, d := range limitDrivers {
		t.Run(d.name, func(t *testing.T) {
			underDriver(t, d.name)
			before := controls(t)
			const table = "/tmp/driver.csv"
			r := command(t, "/bin/ebb", append([]string{"record", "--quiet", "--epochs", table,
				"--", "/bin/load"}, mixed.of(short).args()...)...)
			if lines := strings.Count(read(t, table), "\n"); r.code != 0 || lines < 3 {
				t.Errorf("%d lines: %+v", lines, r)
			}
			same(t, controls(t), before)
			fault(t, d.fault, "-1")
			_, rep, r := governed(t, mixed.of(short), "--slowdown", "10%")
			t.Logf("%s: actuator %s: %s", d.fault, rep.Actuator, rep.ActuatorReason)
			if rep.Actuator != "shadow" || !strings.Contains(rep.ActuatorReason, "has no effect") {
				t.Errorf("%s: it does not say so: %s", d.fault, r.err)
			}
		})
	}
}

// TestDriversKilled: the limits are as they were after kill -9 of ebb, which its guardian survives,
// and after kill -9 of both and ebb restore.
func TestDriversKilled(t *testing.T) {
	for _, d := range limitDrivers {
		t.Run(d.name, func(t *testing.T) {
			underDriver(t, d.name)
			put(t, policies+"policy0/scaling_max_freq", "3700000")
			before := controls(t)
			killGuarded(t, 300*time.Millisecond)
			same(t, controls(t), before)

			kill(t, 300*time.Millisecond)
			if after := controls(t); fmt.Sprint(after) == fmt.Sprint(before) {
				t.Error("the test shows nothing: no control was changed")
			}
			if r := command(t, "/bin/ebb", "restore"); r.code != 0 ||
				!strings.Contains(r.out, " 0 failed") {
				t.Errorf("restore: %+v", r)
			}
			same(t, controls(t), before)
		})
	}
}

// Both limits of every policy are set, and put back however the run ends, whether the CPUs share a
// policy or not.
func TestCPUsDrivers(t *testing.T) {
	for _, c := range []struct {
		driver, domain string
		policies       int
	}{{"stepless", "2", 1}, {"active", "1", 2}} {
		t.Run(fmt.Sprintf("%s, %d policies", c.driver, c.policies), func(t *testing.T) {
			drive(t, c.domain)
			underDriver(t, c.driver)
			put(t, policies+"policy0/scaling_min_freq", "1200000")
			before := controls(t)
			limits := []string{"scaling_min_freq", "scaling_max_freq", "cpuinfo_cur_freq"}
			end := begin(t, spinning, "--frequency", "2GHz")
			for _, name := range limits {
				reachAll(t, name, c.policies, "2000000")
			}
			rep, r := end()
			// The kernel applies limits in a worker, which on a busy host comes later than a
			// quantum: ebb then finds the old ones and says so, until they are there.
			t.Log(rep.Refusals)
			if rep.Actuator != "clamp" || len(rep.Foreign) != 0 {
				t.Errorf("actuator %s, %v: %s", rep.Actuator, rep.Foreign, r.err)
			}
			same(t, controls(t), before)

			// Another program lowers one policy's limit after ebb and its guardian were killed.
			kill(t, 100*time.Millisecond)
			path := policies + fmt.Sprintf("policy%d/scaling_max_freq", c.policies-1)
			put(t, path, "1500000")
			// The same worker may be late for a restore as well, which can be tried again.
			r = command(t, "/bin/ebb", "restore")
			for try := 0; r.code != 0 && try < 20; try++ {
				r = command(t, "/bin/ebb", "restore")
			}
			if r.code != 0 {
				t.Errorf("restore: %+v", r)
			}
			before[path] = "1500000\n"
			same(t, controls(t), before)
		})
	}
}

// killGuarded starts a run, kills ebb some time after its guardian stands by, and waits until the
// guardian has put everything back.
func killGuarded(t *testing.T, after time.Duration) {
	t.Helper()
	c := govern(t, after)
	if err := c.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	endLoads(t)
	for start := time.Now(); time.Since(start) < patience/2; time.Sleep(2 * time.Millisecond) {
		if _, err := os.Stat("/run/ebb"); err != nil {
			return
		}
	}
	t.Fatal("the run directory is still there")
}

// reachAll waits until an attribute of every policy has a value, and there are so many.
func reachAll(t *testing.T, name string, count int, want string) {
	t.Helper()
	var now map[string]string
	for start := time.Now(); time.Since(start) < patience/2; time.Sleep(20 * time.Millisecond) {
		now = ofPolicies(t, name)
		all := len(now) == count
		for _, v := range now {
			all = all && v == want
		}
		if all {
			return
		}
	}
	t.Fatalf("%d policies with %s of %s were awaited, now %v", count, name, want, now)
}

// ofPolicies is an attribute of all policies, by the policies' names.
func ofPolicies(t *testing.T, name string) map[string]string {
	t.Helper()
	out := map[string]string{}
	paths, err := filepath.Glob(policies + "policy*/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			continue // it has just gone
		}
		out[filepath.Base(filepath.Dir(p))] = strings.TrimSpace(string(b))
	}
	return out
}

// TestCPUsDriverAnew: a driver is taken away and registered again during a run, and with it every
// policy is another one of the same name. It is set again, whatever ebb sets it by, and put back.
func TestCPUsDriverAnew(t *testing.T) {
	for _, c := range []struct {
		driver, actuator string
		controls         []string
	}{
		{"table", "setspeed", []string{"scaling_setspeed", "cpuinfo_cur_freq"}},
		{"active", "clamp", []string{"scaling_min_freq", "scaling_max_freq", "cpuinfo_cur_freq"}},
	} {
		t.Run(c.driver, func(t *testing.T) {
			drive(t, "1")
			underDriver(t, c.driver)
			before := controls(t)
			end := begin(t, spinning, "--frequency", "2GHz")
			for range 3 {
				for _, name := range c.controls {
					reachAll(t, name, 2, "2000000")
				}
				put(t, "/sys/module/platform/parameters/driver", c.driver)
			}
			for _, name := range c.controls {
				reachAll(t, name, 2, "2000000")
			}
			rep, r := end()
			t.Log(rep.Refusals, rep.Foreign)
			if rep.Actuator != c.actuator || len(rep.Foreign) != 0 {
				t.Errorf("actuator %s, %v: %s", rep.Actuator, rep.Foreign, r.err)
			}
			same(t, controls(t), before)
		})
	}
}
