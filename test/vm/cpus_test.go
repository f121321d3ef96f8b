package vm

import (
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The machine of these tests has two CPUs and the host's time: they check no durations.

// drive gives the machine the platform in place of the driver it has, with CPUs in domains of so
// many.
func drive(t *testing.T, domain string) {
	t.Helper()
	for _, name := range []string{"acpi_cpufreq", "platform"} {
		err := unix.DeleteModule(name, 0)
		for start := time.Now(); err == unix.EAGAIN && time.Since(start) < time.Minute; {
			time.Sleep(20 * time.Millisecond) // counters are freed some time after they were closed
			err = unix.DeleteModule(name, 0)
		}
		if err != nil && err != unix.ENOENT {
			t.Fatalf("unload %s: %v", name, err)
		}
	}
	if err := insert("platform", "domain="+domain); err != nil {
		t.Fatal(err)
	}
}

// spinning is work for both CPUs, for longer than a test takes.
var spinning = computeBound.of(1000 * long).on(2)

// reach waits until every policy has been asked for a speed, and there are so many.
func reach(t *testing.T, count int, khz string) {
	t.Helper()
	reachAll(t, "scaling_setspeed", count, khz)
}

// begin starts a governed run, and returns a function that ends its load and waits, which is called
// at the test's end if it was not before.
func begin(t *testing.T, l load, flags ...string) (end func() (report, result)) {
	t.Helper()
	type outcome struct {
		rep report
		r   result
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() { done <- o }() // though the test has failed
		o.rep, o.r = run(t, l, flags...)
	}()
	wait := sync.OnceValue(func() outcome {
		for {
			for _, p := range processes(t, "/bin/load") {
				_ = unix.Kill(p, unix.SIGTERM)
			}
			select {
			case o := <-done:
				return o
			case <-time.After(50 * time.Millisecond): // there was no load yet
			}
		}
	})
	t.Cleanup(func() { wait() })
	return func() (report, result) { o := wait(); return o.rep, o.r }
}

// Every policy is set, and put back, whether the CPUs share one or not.
func TestCPUsPolicies(t *testing.T) {
	for _, c := range []struct {
		name, domain string
		policies     int
	}{{"two of one CPU", "1", 2}, {"one of two CPUs", "2", 1}} {
		t.Run(c.name, func(t *testing.T) {
			drive(t, c.domain)
			if s := ofPolicies(t, "scaling_setspeed"); len(s) != c.policies {
				t.Fatal("policies: ", s)
			}
			before := controls(t)
			end := begin(t, spinning, "--frequency", "2GHz")
			reach(t, c.policies, "2000000")
			rep, r := end()
			if rep.Actuator != "setspeed" || len(rep.Refusals)+len(rep.warned()) != 0 {
				t.Errorf("actuator %s, %v %v: %s", rep.Actuator, rep.Refusals, rep.Warnings, r.err)
			}
			busy := 0
			for _, thread := range rep.Threads {
				if thread.RunNS > 0 {
					busy++
				}
			}
			if busy != 2 {
				t.Errorf("%d threads ran, of 2: %+v", busy, rep.Threads)
			}
			same(t, controls(t), before)
		})
	}
}

// A policy goes, as its only CPU does: the run goes on with the other one, and the report says what
// was. When it comes back during the run, it is set again and put back at the end; after it, by ebb
// restore.
func TestCPUsPolicyVanishes(t *testing.T) {
	const online = "/sys/devices/system/cpu/cpu1/online"
	for _, returns := range []string{"during the run", "after it"} {
		t.Run("returns "+returns, func(t *testing.T) {
			drive(t, "1")
			before := controls(t)
			end := begin(t, mixed.of(1000*long).on(2), "--slowdown", "10%")
			reach(t, 2, "4000000")
			time.Sleep(time.Second)
			write(t, online, "0")
			t.Cleanup(func() { write(t, online, "1") })
			time.Sleep(time.Second)
			if returns == "during the run" {
				write(t, online, "1")
				time.Sleep(2 * time.Second)
			}
			rep, r := end()
			t.Logf("%v %v", rep.Refusals, rep.Warnings)
			if !strings.Contains(strings.Join(append(rep.Refusals, rep.Warnings...), "\n"),
				"policy1") {
				t.Errorf("the report does not say that policy1 went: %s", r.err)
			}
			if returns == "after it" {
				for path, value := range controls(t) {
					if !strings.Contains(path, "/policy1/") && value != before[path] {
						t.Errorf("%s: %q, was %q", path, value, before[path])
					}
				}
				if !strings.Contains(r.err, "ebb restore") {
					t.Errorf("it does not say what is left to do: %s", r.err)
				}
				write(t, online, "1")
				if r := command(t, "/bin/ebb", "restore"); r.code != 0 {
					t.Errorf("restore: %+v", r)
				}
			}
			same(t, controls(t), before)
			if r := command(t, "/bin/ebb", "restore"); r.code != 0 ||
				!strings.Contains(r.out, "nothing to restore") {
				t.Errorf("something is left: %+v", r)
			}
		})
	}
}
