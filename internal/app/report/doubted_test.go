package report

import (
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/verdict"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
)

// TestADoubtedMeterGivesNoVerdict: a meter that is not believed says so in summary and source, and
// neither saving nor verdict come from it.
func TestADoubtedMeterGivesNoVerdict(t *testing.T) {
	const doubt = "package-0 shows 15kW, more than the 56W that its own power limits allow: the " +
		"meter is not believed"
	r := Report{Actuator: "clamp", WallNS: 1e9, HighestHz: 2e9, MachineBusyNS: 1e9,
		Power:       &Power{Taken: wattmeter.Meter, Doubt: doubt},
		Frequencies: []FrequencyShare{{FreqHz: 1e9, TimeNS: 1e9}},
		Energy: []Energy{{Zone: "package-0", Kind: "package", Source: Measured, EnergyNJ: 15e12,
			MaxFreqNJ: 20e12, MaxFreqLoNJ: 19e12, MaxFreqHiNJ: 21e12, ProfiledNS: 1e9}}}
	r.Judge()
	if r.Verdict.Answer != verdict.Worth {
		t.Errorf("believed: %+v", r.Verdict)
	}
	r.Energy[0].Doubt = doubt
	if r.Judge(); r.Verdict.Answer != verdict.Unknown || r.Verdict.Saved != nil ||
		!strings.HasPrefix(r.Verdict.Line, "cannot say: "+doubt+"; ") {
		t.Errorf("not believed: %+v", r.Verdict)
	}
	var b strings.Builder
	r.WriteSummary(&b)
	if !strings.Contains(b.String(), doubt) || r.Energy[0].Note() != "not believed" {
		t.Errorf("%q in\n%s", r.Energy[0].Note(), b.String())
	}
	if lines := r.Power.Lines(); lines[len(lines)-1] != doubt {
		t.Errorf("lines %q", lines)
	}
}
