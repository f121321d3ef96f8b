package profile

import (
	"bytes"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// atFrequencies is the sample with its first stack at two frequencies, one of which is known for a
// third of its samples only, and the second at one.
func atFrequencies() *Profile {
	p := sample()
	p.Stacks[0].ByFrequency = []AtFrequency{
		{FreqHz: 1e9, Samples: 1, EnergyNJ: []int64{50, 100}, Squares: 1e4},
		{FreqHz: 3e9, Samples: 3, EnergyNJ: []int64{400, 300}, Squares: 3e4},
	}
	p.Stacks[1].ByFrequency = []AtFrequency{{FreqHz: 3e9, Samples: 2, EnergyNJ: []int64{300, 100},
		Squares: 4.5e4}}
	return p
}

// TestByFrequency: the view has what each method used at each frequency, and in all; it shows what
// is not known.
func TestByFrequency(t *testing.T) {
	type want struct {
		energy, other int64
		samples       int
		time          int64
	}
	p := atFrequencies()
	for by, units := range map[string]map[string]want{
		"frequency": {"3GHz": {700, 400, 5, 454545454}, "1GHz": {50, 100, 1, 90909090},
			unknownFrequency: {850, 1500, 6, 657545453}},
		"method@frequency": {
			"app.core.Parser.parse @ 3GHz": {700, 400, 5,
				454545454}, "app.core.Parser.parse @ 1GHz": {50, 100, 1, 90909090},
			"app.core.Parser.parse @ " + unknownFrequency: {150, 300, 2, 181818181},
		},
	} {
		rows := map[string]Row{}
		var energy, other int64
		for _, r := range p.Rows(view(t, p, by), 0) {
			rows[r.Unit] = r
			energy += r.Energy
			other += r.Rules[1]
		}
		if energy != 1600 || other != 2000 {
			t.Errorf("by %s: %d and %d nJ in all, not 1600 and 2000", by, energy, other)
		}
		for unit, w := range units {
			r := rows[unit]
			if got := (want{r.Energy, r.Rules[1], r.Samples, r.TimeNS}); got.energy != w.energy ||
				got.other != w.other || got.samples != w.samples ||
				max(got.time-w.time, w.time-got.time) > 3 {
				t.Errorf("by %s, %s: %+v, want %+v", by, unit, got, w)
			}
		}
	}
	var b bytes.Buffer
	v := view(t, p, "method@frequency")
	if err := p.WriteText(&b, p.Rows(v, 0), 0, 0, printable.All); err != nil {
		t.Fatal(err)
	}
	devtest.Golden(t, "testdata/frequency.txt", b.Bytes())
}

// TestOldReport: a report from before the energy at each frequency was kept has it at none that is
// known.
func TestOldReport(t *testing.T) {
	p := atFrequencies()
	for i := range p.Stacks {
		for j := range p.Stacks[i].ByFrequency {
			p.Stacks[i].ByFrequency[j].EnergyNJ = nil
		}
	}
	if rows := p.Rows(view(t, p, "frequency"), 0); len(rows) != 1 ||
		rows[0].Unit != unknownFrequency || rows[0].Energy != 1600 || rows[0].Samples != 12 {
		t.Errorf("%+v", rows)
	}
}
