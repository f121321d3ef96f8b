package report

import (
	"fmt"
	"testing"
)

func TestPowerLine(t *testing.T) {
	for _, c := range []struct {
		r    Report
		want string
	}{
		{Report{Actuator: "shadow", Objective: "slowdown", PowerParameters: PowerDefault}, ""},
		{Report{Actuator: "setspeed", Objective: "fixed", PowerParameters: PowerDefault}, ""},
		{Report{Actuator: "setspeed", Objective: "slowdown"}, ""}, // of a version that did not say
		{Report{Actuator: "setspeed", Objective: "slowdown", PowerParameters: PowerDefault},
			"policy: decided with ebb's default parameters, which describe no particular " +
				"machine; " +
				"no energy meter corrected them"},
		{Report{Actuator: "clamp", Objective: "system-energy", PowerParameters: PowerStated,
			PowerWindows: 7},
			"policy: decided with the configuration's parameters; " +
				"corrected by the energy meter, 7 windows"},
	} {
		got := ""
		c.r.powerLine(func(name, format string,
			args ...any) {
			got = name + ": " + fmt.Sprintf(format, args...)
		})
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.r.PowerParameters, got, c.want)
		}
	}
}
