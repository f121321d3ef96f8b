package vm

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Every request is refused from a moment of the run on, and the kernel does not say so: a write to scaling_setspeed
// succeeds all the same. The run goes on and the report has it.
func TestRefusedRequests(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for len(processes(t, "/bin/load")) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(150 * time.Millisecond)
		fault(t, "refuse", "20")
	}()
	u, rep, r := governed(t, mixed.of(medium), "--slowdown", "10%")
	<-done
	t.Logf("%v, refusals %v", u, rep.Refusals)
	if len(rep.Refusals) == 0 {
		t.Errorf("nothing was refused: %s", r.err)
	}
}

// A clock on which no request has an effect, though the kernel takes each. Whatever ebb makes of it, the load is as fast as without it,
// and the report says that the clock did not follow.
func TestNoRequestHasEffect(t *testing.T) {
	fault(t, "refuse", "-1")
	_, rep, r := governed(t, computeBound.of(medium), "--slowdown", "10%")
	if rep.Actuator != "shadow" && !strings.Contains(rep.SettleNote, "can not be observed") {
		t.Errorf("it does not say so: %s", r.err)
	}
	t.Logf("actuator %s; %s", rep.Actuator, rep.SettleNote)
}

// The hardware delivers less than what cpufreq shows. Nothing lower than the cap's share of the budget is asked for.
func TestCap(t *testing.T) {
	fault(t, "cap_khz", "2000000")
	top := fixed(t, computeBound.of(medium), 4000000)
	u, rep, r := governed(t, computeBound.of(medium), "--slowdown", "5%")
	slow := u.time.Seconds()/top.time.Seconds() - 1
	t.Logf("slowdown %.1f %%; %s; refusals %v", 100*slow, rep.SettleNote, rep.Refusals)
	if slow > 0.055 {
		t.Errorf("the slowdown is %.1f %% of the capped clock", 100*slow)
	}
	if rep.SettleNote == "" && len(rep.Refusals) == 0 && len(rep.Warnings) == 0 {
		t.Errorf("it does not say that the clock is capped: %s", r.err)
	}
}

// The energy counter wraps several times in a run. The power of such work does not depend on how it is measured.
func TestShortMeter(t *testing.T) {
	_, rep, _ := governed(t, computeBound.of(medium), "--frequency", "4GHz")
	want := rep.measured("package-0") / float64(rep.WallNS)
	const wrap = 4
	fault(t, "wrap_uj", "4000000")
	_, rep, _ = governed(t, computeBound.of(medium), "--frequency", "4GHz")
	got := rep.measured("package-0") / float64(rep.WallNS)
	t.Logf("package-0: %.3f W, with a counter that wraps at %d J %.3f W, %.1f J", 1e9*want, wrap, 1e9*got, rep.measured("package-0"))
	if math.Abs(got/want-1) > 0.03 {
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
