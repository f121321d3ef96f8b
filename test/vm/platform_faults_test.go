package vm

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// throttles is the number of times that CPU 0 was throttled by heat, as the kernel counts them.
func throttles(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(read(t, "/sys/devices/system/cpu/cpu0/thermal_throttle/"+
		"core_throttle_count"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestThrottled: a package that is too hot or beyond its power limit is slower, and draws what the
// limit says; only heat is counted. The report says that the clock was not delivered.
func TestThrottled(t *testing.T) {
	settle(t)
	top := at(t, 4000000, computeBound.of(medium))
	const watts = 10
	for _, parameter := range []string{"hot_mw", "limit_mw"} {
		t.Run(parameter, func(t *testing.T) {
			fault(t, "over_ms", "100")
			fault(t, parameter, fmt.Sprint(1000*watts))
			before := throttles(t)
			u := at(t, 4000000, computeBound.of(medium))
			power, slow := u.package_/u.time.Seconds(), u.time.Seconds()/top.time.Seconds()-1
			t.Logf("%.2f W, %.0f %% slower, throttled %d times", power, 100*slow,
				throttles(t)-before)
			// at first the mean is below the limit
			if power < 0.9*watts || power > 1.25*watts || slow < 0.1 {
				t.Errorf("%.2f W, %.0f %% slower", power, 100*slow)
			}
			if n := throttles(t) - before; (n > 0) != (parameter == "hot_mw") {
				t.Errorf("throttled %d times", n)
			}
			if parameter == "limit_mw" {
				return // the report says the same
			}
			_, rep, r := governed(t, computeBound.of(medium), "--frequency", "4GHz")
			t.Log(rep.Warnings)
			says(t, strings.Join(rep.Warnings, " "), "GHz by the cycle counter, 4 GHz as reported")
			if rep.WallNS == 0 {
				t.Error(r.err)
			}
		})
	}
	got, was := at(t, 4000000, computeBound.of(medium)).time.Seconds(), top.time.Seconds()
	if math.Abs(got/was-1) > apart {
		t.Errorf("afterwards it takes %.4f s, before %.4f", got, was)
	}
}

// A meter that counts half shows half, and ebb reports it so: nothing else measures energy here.
func TestMeterOfHalf(t *testing.T) {
	fault(t, "meter_permille", "500")
	meterAnew(t)
	_, rep, _ := governed(t, computeBound.of(short), "--frequency", "4GHz")
	for zone, used := range metered(t) {
		if got := rep.measured(zone); math.Abs(got-used/2) > 2e-6 {
			t.Errorf("%s: measured %.6f J, used %.6f J", zone, got, used)
		}
	}
}

// Cycles that are counted twice are no reason to slow the program beyond its budget.
func TestCyclesTwice(t *testing.T) {
	top := highest(t, mixed)
	fault(t, "doubled", "1")
	u, rep, r := governed(t, mixed, "--slowdown", "5%")
	slow := u.time.Seconds()/top.time.Seconds() - 1
	t.Logf("slowdown %.2f %%, actuator %s; %v", 100*slow, rep.Actuator, rep.Warnings)
	if slow > 0.055 {
		t.Errorf("the slowdown is %.2f %%: %s", 100*slow, r.err)
	}
}

// Two policies whose CPUs have one clock: each request is confirmed, and the higher one is
// delivered.
func TestCPUsCoupled(t *testing.T) {
	drive(t, "1")
	keep(t, 2000000)
	fault(t, "coupled", "2")
	write(t, policies+"policy1/scaling_setspeed", "3000000")
	// before the clock is read, which has the kernel take it for the request
	if got := read(t, policies+"policy0/scaling_setspeed"); got != "2000000" {
		t.Errorf("policy0 shows a request of %s", got)
	}
	for _, p := range []string{"policy0", "policy1"} {
		if got := read(t, policies+p+"/cpuinfo_cur_freq"); got != "3000000" {
			t.Errorf("%s runs at %s", p, got)
		}
	}
	write(t, parameters+"coupled", "0")
	write(t, policies+"policy0/scaling_setspeed", "2000000")
	if got := read(t, policies+"policy0/cpuinfo_cur_freq"); got != "2000000" {
		t.Errorf("uncoupled, policy0 runs at %s", got)
	}
}
