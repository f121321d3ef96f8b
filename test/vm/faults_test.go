package vm

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Requests are refused in the middle of a run, and the kernel does not say so: a write to scaling_setspeed succeeds all the
// same. The run goes on, the report has it, and the clock follows again afterwards.
func TestRefusedRequests(t *testing.T) {
	settle(t)
	top := fixed(t, mixed, 4000000)
	go func() {
		for len(processes(t, "/bin/load")) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(400 * time.Millisecond)
		fault(t, "refuse", "3")
	}()
	u, rep, r := governed(t, mixed, "--slowdown", "5%")
	left, slow := read(t, parameters+"refuse"), u.time.Seconds()/top.time.Seconds()-1
	t.Logf("slowdown %.1f %%; %v", 100*slow, rep.Refusals)
	if left != "0" || len(rep.Refusals) == 0 {
		t.Errorf("%s refusals are left, the report has %v: %s", left, rep.Refusals, r.err)
	}
	if slow > 0.1 {
		t.Errorf("the slowdown is %.1f %%", 100*slow)
	}
}

// A clock on which no request has an effect, though the kernel takes each: the run goes on, and the report says so.
func TestNoRequestHasEffect(t *testing.T) {
	for _, khz := range []int{1000000, 4000000} { // where it stands still
		t.Run(strconv.Itoa(khz), func(t *testing.T) {
			keep(t, khz)
			fault(t, "refuse", "-1")
			_, rep, r := governed(t, memoryBound.of(medium), "--slowdown", "10%")
			t.Logf("actuator %s; %v %v", rep.Actuator, rep.Warnings, rep.Refusals)
			if len(rep.Warnings)+len(rep.Refusals) == 0 {
				t.Errorf("it does not say so: %s", r.err)
			}
		})
	}
}

// The hardware delivers less than what cpufreq shows: the report says so, and the program is not slowed beyond its budget.
func TestCap(t *testing.T) {
	fault(t, "cap_khz", "2000000")
	top := fixed(t, computeBound.of(medium), 4000000)
	u, rep, r := governed(t, computeBound.of(medium), "--slowdown", "5%")
	slow := u.time.Seconds()/top.time.Seconds() - 1
	t.Logf("slowdown %.1f %%; %v", 100*slow, rep.Warnings)
	if slow > 0.055 {
		t.Errorf("the slowdown is %.1f %% of the capped clock", 100*slow)
	}
	if !strings.Contains(strings.Join(rep.Warnings, "\n"), "2GHz delivered") {
		t.Errorf("it does not say that the clock is capped: %s", r.err)
	}
}

// The energy counter wraps several times in a run. The power of such work does not depend on
// how it is measured; a wrap missed or invented would be 4 J of some 15 J.
func TestShortMeter(t *testing.T) {
	_, rep, _ := governed(t, computeBound.of(medium), "--frequency", "4GHz")
	want := rep.measured("package-0") / float64(rep.WallNS)
	const wrap = 4
	fault(t, "wrap_uj", "4000000")
	_, rep, _ = governed(t, computeBound.of(medium), "--frequency", "4GHz")
	got := rep.measured("package-0") / float64(rep.WallNS)
	t.Logf("package-0: %.3f W, with a counter that wraps at %d J %.3f W, %.1f J", 1e9*want, wrap, 1e9*got, rep.measured("package-0"))
	if math.Abs(got/want-1) > 0.05 {
		t.Errorf("measured %.3f W, want %.3f W", 1e9*got, 1e9*want)
	}
	if rep.measured("package-0") < 2*wrap {
		t.Error("the counter did not wrap often enough to show anything")
	}
}

// With few free counters ebb counts what tells the most, says so, and still sees that the load waits for memory.
func TestFewCounters(t *testing.T) {
	for _, free := range []string{"5", "4", "3"} {
		t.Run(free, func(t *testing.T) {
			fault(t, "counters", free)
			_, rep, r := governed(t, memoryBound.of(medium), "--slowdown", "5%")
			t.Logf("counters %v, estimator %s", rep.Counters, rep.Estimator)
			if strconv.Itoa(len(rep.Counters)) != free || rep.Estimator == "none" {
				t.Errorf("counters %v, estimator %s", rep.Counters, rep.Estimator)
			}
			if !strings.Contains(r.err, "counted are") {
				t.Errorf("it does not say that it counts less: %s", r.err)
			}
		})
	}
}
