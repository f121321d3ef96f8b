package config

import (
	"math"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/units"
)

// TestSteps: steps choose the nearest of a machine's states, and its highest always.
func TestSteps(t *testing.T) {
	virtual := []units.Frequency{}
	for f := units.Frequency(1e9); f <= 4e9; f += 125e6 {
		virtual = append(virtual, f)
	}
	for _, tt := range []struct {
		steps        string
		states, want []units.Frequency
	}{
		{"1GHz..4GHz/500MHz", virtual, []units.Frequency{1e9, 15e8, 2e9, 25e8, 3e9, 35e8, 4e9}},
		{"2GHz..3GHz/1GHz", virtual, []units.Frequency{2e9, 3e9, 4e9}},
		{"2GHz..2GHz/1Hz", virtual, []units.Frequency{2e9, 4e9}},
		{"1GHz..3.4GHz/500MHz", []units.Frequency{8e8, 12e8, 19e8, 26e8, 34e8},
			[]units.Frequency{12e8, 19e8, 26e8, 34e8}},
		{"", []units.Frequency{1e9, 2e9}, []units.Frequency{1e9, 2e9}},
		{"1Hz..9223372036854775807Hz/9223372036854775806Hz",
			[]units.Frequency{1, math.MaxInt64}, []units.Frequency{1, math.MaxInt64}},
		{"500MHz..2GHz/500MHz", virtual, nil}, // below all
		{"1GHz..5GHz/1GHz", virtual, nil},     // above all
	} {
		var s Steps
		if err := s.Set(tt.steps); err != nil {
			t.Errorf("%s: %v", tt.steps, err)
			continue
		}
		var again Steps
		if err := again.Set(s.String()); err != nil || again != s {
			t.Errorf("%s is written as %s, which is %v (%v)", tt.steps, s, again, err)
		}
		got, err := s.Of(tt.states)
		if !slices.Equal(got, tt.want) || (err != nil) != (tt.want == nil) {
			t.Errorf("%s: %v (%v), want %v", tt.steps, got, err, tt.want)
		}
	}
	for _, bad := range []string{"1GHz", "1GHz..4GHz", "4GHz..1GHz/1GHz", "1GHz..4GHz/0Hz",
		"1..4/1", "1GHz/500MHz", "0Hz..1GHz/1GHz", "1GHz..4GHz/1Hz", "..//", "-1GHz..4GHz/1GHz"} {
		s := Steps{1e9, 2e9, 1e9}
		if err := s.Set(bad); err == nil || s != (Steps{1e9, 2e9, 1e9}) {
			t.Errorf("%q: %v, %v", bad, s, err)
		}
	}
}
