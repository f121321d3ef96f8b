package vm

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Requests are refused in the middle of a run, and the kernel does not say so: a write to
// scaling_setspeed succeeds all the same. The run goes on, the report has it, and the clock follows
// again afterwards.
func TestRefusedRequests(t *testing.T) {
	top := highest(t, mixed)
	fault(t, "refuse", "0") // to be as before at the end
	during(t, func() { write(t, parameters+"refuse", "3") })
	u, rep, r := governed(t, mixed, "--slowdown", "5%")
	left, slow := read(t, parameters+"refuse"), u.time.Seconds()/top.time.Seconds()-1
	t.Logf("slowdown %.1f %%; %v", 100*slow, rep.Refusals)
	if left != "0" || len(rep.Refusals) == 0 {
		t.Errorf("%s refusals are left, the report has %v: %s", left, rep.Refusals, r.err)
	}
	if slow > 0.06 {
		t.Errorf("the slowdown is %.1f %%", 100*slow)
	}
}

// A clock on which no request has an effect, though the kernel takes each: ebb finds it out before
// the target starts, puts everything back, and goes on without writing. When the kernel has the
// driver's error, a read-back shows it; when the driver has hidden it, only the PMU does.
func TestNoRequestHasEffect(t *testing.T) {
	for _, parameter := range []string{"refuse", "ignore"} {
		for _, khz := range []int{2000000, 4000000} { // where it stands still
			t.Run(fmt.Sprint(parameter, " at ", khz), func(t *testing.T) {
				keep(t, khz)
				fault(t, parameter, "-1")
				u, rep, r := governed(t, memoryBound.of(medium), "--slowdown", "10%")
				t.Logf("%v, actuator %s: %s; %v %v", u, rep.Actuator, rep.ActuatorReason,
					rep.Warnings, rep.Refusals)
				if rep.Actuator != "shadow" ||
					!strings.Contains(rep.ActuatorReason, "has no effect") {
					t.Errorf("it does not say so: %s", r.err)
				}
			})
		}
	}
}

// TestIgnoredRequests: in the middle of a run, after a low frequency, the driver confirms some
// requests to the kernel and does nothing. No attribute shows it, only cycles. ebb repeats the
// request, and pays back the lost time.
func TestIgnoredRequests(t *testing.T) {
	// Of 7 % ebb itself takes some 2 here, and 5 are left for the clock: with less, few requests
	// differ so much from each other that ignoring them shows.
	const budget = "7%"
	settle(t)
	ignoring := func(t *testing.T, n string, flags ...string) (usage, report, result) {
		fault(t, "ignore", "0")
		during(t, func() {
			awaitLow(t)
			write(t, parameters+"ignore", n)
		})
		return governed(t, mixed, flags...)
	}
	top, _, _ := ignoring(t, "0", "--frequency", "4GHz")
	slowdown := func(u usage) float64 { return u.time.Seconds()/top.time.Seconds() - 1 }
	plain, _, _ := ignoring(t, "0", "--slowdown", budget)
	without := slowdown(plain)
	for _, n := range []string{"1", "3", "5"} {
		t.Run(n, func(t *testing.T) {
			var mean float64
			for range runs {
				u, rep, r := ignoring(t, n, "--slowdown", budget)
				slow, saved := slowdown(u), 1-u.joules()/top.joules()
				t.Logf("slowdown %.2f %%, without it %.2f %%; %.1f %% saved; own cost %.2f %%; "+
					"%v %v", 100*slow, 100*without, 100*saved, 100*rep.SlowdownOwn, rep.Refusals,
					rep.Warnings)
				if left := read(t, parameters+"ignore"); left != "0" {
					t.Errorf("%s are left to ignore", left)
				}
				if saved < 0.02 {
					t.Errorf("%.1f %% saved", 100*saved)
				}
				// Requests for less that were ignored cost energy, and are said when they last.
				if n == "3" && !strings.Contains(strings.Join(rep.Warnings, "\n"),
					"had no effect") {
					t.Errorf("it does not say so: %s", r.err)
				}
				mean += slow / runs
			}
			if mean > max(0.055, without+0.003) {
				t.Errorf("the slowdown is %.2f %%", 100*mean)
			}
		})
	}
}

// From the middle of the run on no request does anything any more: nothing can be done about it but
// to say so.
func TestDeaf(t *testing.T) {
	fault(t, "ignore", "0")
	during(t, func() {
		// a clock that stands still within 10 % of what is asked for is taken for the part's own
		// doing
		awaitLow(t)
		write(t, parameters+"ignore", "-1")
	})
	before := controls(t)
	rep, r := run(t, mixed, "--slowdown", "10%")
	t.Logf("%v, %v %v", usageOf(t, r.out), rep.Refusals, rep.Warnings)
	if r.code != 0 || !strings.Contains(strings.Join(rep.Warnings, "\n"),
		"requests had no effect") {
		t.Errorf("exit %d, it does not say so: %s", r.code, r.err)
	}
	write(t, parameters+"ignore", "0")
	same(t, controls(t), before)
}

// Something limits the clock from the middle of the run on. The program is not slowed further than
// the budget, reckoned from what the limit leaves, and still saves: in the mean of several moments,
// as single runs scatter by half a point.
func TestLimit(t *testing.T) {
	settle(t)
	limited := func(after time.Duration, flags ...string) (usage, report, result) {
		fault(t, "cap_khz", "0")
		last, done := newest(t), make(chan bool)
		// at the same moment of every run: how long ebb takes to start depends on the flags
		go func() {
			defer close(done)
			begun(t, last)
			time.Sleep(after)
			write(t, parameters+"cap_khz", "3000000")
		}()
		u, rep, r := governed(t, mixed, flags...)
		<-done
		write(t, parameters+"cap_khz", "0")
		return u, rep, r
	}
	var slow, saved float64
	moments := []time.Duration{560 * time.Millisecond, 600 * time.Millisecond,
		640 * time.Millisecond}
	for _, after := range moments {
		top, _, _ := limited(after, "--frequency", "4GHz")
		u, rep, r := limited(after, "--slowdown", "5%")
		s, e := u.time.Seconds()/top.time.Seconds()-1, 1-u.joules()/top.joules()
		t.Logf("after %s: slowdown %.2f %%, %.1f %% saved; %v", after, 100*s, 100*e, rep.Warnings)
		if !strings.Contains(strings.Join(rep.Warnings, "\n"), "something limited the clock") {
			t.Errorf("it does not say so: %s", r.err)
		}
		slow += s / float64(len(moments))
		saved += e / float64(len(moments))
	}
	if slow > 0.055 || saved < 0.005 {
		t.Errorf("the slowdown is %.2f %% of the limited clock, %.1f %% saved", 100*slow, 100*saved)
	}
}

// Every request is refused, because another program has chosen another governor: it is left to it,
// and the report says so.
func TestAnotherGovernor(t *testing.T) {
	top := highest(t, mixed)
	path := policies + "policy0/scaling_governor"
	before := controls(t)
	during(t, func() { write(t, path, "performance") })
	rep, r := run(t, mixed, "--slowdown", "5%")
	u := usageOf(t, r.out)
	slow := u.time.Seconds()/top.time.Seconds() - 1
	t.Logf("slowdown %.2f %%; %v %v %+v", 100*slow, rep.Refusals, rep.Warnings, rep.Foreign)
	if r.code != 0 || slow > 0.055 {
		t.Errorf("exit %d, the slowdown is %.2f %%", r.code, 100*slow)
	}
	if len(rep.Refusals) != 1 || len(rep.Foreign) != 1 ||
		rep.Foreign[0].Control != "scaling_governor" || rep.Foreign[0].Value != "performance" {
		t.Errorf("it does not say who has the clock: %s", r.err)
	}
	if got := read(t, path); got != "performance" {
		t.Errorf("the other's governor is now %s", got)
	}
	write(t, path, strings.TrimSpace(before[path]))
	same(t, controls(t), before)
}

// The hardware delivers less than what cpufreq shows: the report says so, and the program is not
// slowed beyond its budget.
func TestCap(t *testing.T) {
	settle(t)
	fault(t, "cap_khz", "2000000")
	// Where quanta begin decides whether slack is carried, so single runs scatter by half a point.
	// All are under ebb, whose own cost is part of the budget: some 3 points are left. Against a
	// run without ebb it is 6.2 %, because the module slows the machine by taking time away in
	// pieces, most of which are not in what ebb measures of its own cost.
	const runs = 6
	top, mean := fixed(t, computeBound, 4000000), 0.0
	for range runs {
		u, rep, r := governed(t, computeBound, "--slowdown", "5%")
		slow := u.time.Seconds()/top.time.Seconds() - 1
		mean += slow / runs
		t.Logf("governed: slowdown %.2f %%; %v", 100*slow, rep.Warnings)
		if !strings.Contains(strings.Join(rep.Warnings, "\n"), "2 GHz delivered") {
			t.Errorf("it does not say that the clock is capped: %s", r.err)
		}
	}
	if mean > 0.055 {
		t.Errorf("the slowdown is %.2f %% of the capped clock", 100*mean)
	}
}
