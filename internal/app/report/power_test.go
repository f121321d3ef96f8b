package report

import (
	"fmt"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
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

// TestUnread: a meter of the whole machine without a reading of the run gives way to the next rung,
// and what it would have divided is CPU time, not 0 J. One that was read stays.
func TestUnread(t *testing.T) {
	for _, covered := range []int64{0, 1e9} {
		a := &profile.Profile{Rules: []string{"ledger"}, Threads: []profile.Thread{{TID: 1}},
			Stacks: []profile.Stack{{EnergyNJ: []int64{0}, ByZone: []int64{0}}},
			Zones: []profile.Zone{{Name: profile.TrainedZone, Source: Measured,
				Attr: []int64{0}, OthersNJ: []int64{0}, IdleNJ: []int64{0}, RestNJ: []int64{0}}}}
		r := Report{WallNS: 2e9, Attribution: a,
			MachineMeters: []MachineMeter{{Kind: MachineShare, Name: "x", CoveredNS: covered}},
			Power: &Power{Taken: wattmeter.Machine, Ladder: []wattmeter.Rung{
				{Name: wattmeter.Machine, Usable: true},
				{Name: wattmeter.Trained, Usable: true},
				{Name: wattmeter.Spec, Usable: true, LowW: 1, HighW: 9}}}}
		r.Unread()
		read := covered > 0
		if (r.Power.Taken == wattmeter.Machine) != read || a.Joules() != read ||
			(len(r.Warnings) == 0) != read {
			t.Errorf("%d ns covered: by %s, joules %t, %q", covered, r.Power.Taken, a.Joules(),
				r.Warnings)
		}
	}
}
