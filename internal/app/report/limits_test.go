package report

import (
	"strings"
	"testing"
)

// TestLimitsAreJudged: a clock that a limit leaves is never called the highest, and one that stands
// for turbo is "at least" where no counter shows it.
func TestLimitsAreJudged(t *testing.T) {
	for name, c := range map[string]struct {
		limits        *Limits
		counters      []string
		says, without string // of verdict and summary
	}{
		"none": {nil, nil, "no difference: the highest clock all the time", "at least"},
		"one clock": {&Limits{States: 1, HighestHz: 4e8, HardwareHz: 4.463e9, File: "policy0/max"},
			nil, "policy0/max leaves 400 MHz alone", "the highest clock"},
		"a few clocks": {&Limits{States: 5, HighestHz: 8e8, HardwareHz: 4.463e9,
			File: "policy0/max"}, nil, "policy0/max keeps the clock at 800 MHz of 4.463 GHz",
			"no difference: the highest clock all"},
		"turbo": {&Limits{States: 9, HighestHz: 2.401e9, HardwareHz: 2.401e9, Turbo: true}, nil,
			"2.401 GHz stands for turbo: the clock there was at least that", "the limits"},
		"turbo, counted": {&Limits{States: 9, HighestHz: 2.401e9, HardwareHz: 2.401e9,
			Turbo: true}, []string{"cycles", "instructions"}, "the highest clock all the time",
			"at least"},
	} {
		r := Report{Actuator: "clamp", WallNS: 1e9, HighestHz: 2.401e9, Limits: c.limits,
			Counters: c.counters}
		if c.limits != nil {
			r.HighestHz = c.limits.HighestHz
		}
		r.Frequencies = []FrequencyShare{{FreqHz: r.HighestHz, TimeNS: 1e9}}
		r.Judge()
		var b strings.Builder
		r.WriteSummary(&b)
		text := b.String()
		if !strings.Contains(text, c.says) || strings.Contains(text, c.without) {
			t.Errorf("%s: wants %q and not %q:\n%s", name, c.says, c.without, text)
		}
	}
}
