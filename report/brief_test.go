package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/verdict"
)

// TestBriefFits: whatever a run found, the brief summary has at most ten lines, none is longer than
// the terminal's, figures stand in one column with one decimal, and no answer is coloured but the
// one.
func TestBriefFits(t *testing.T) {
	w := 12.34
	long := strings.Repeat("something long, ", 20)
	most := Report{Command: "make -j4", PID: 7, Actuator: "setspeed", Objective: "slowdown",
		SlowdownBudget: 0.05, SlowdownTotal: 0.0321, WallNS: 3 * 3600e9, ProfiledNS: 1e9,
		IdleNS: 2e8, LostRecords: 123456, OwnCPUNS: 100e9, OwnRSSBytes: 32 << 20,
		Verdict: &verdict.Verdict{Answer: verdict.Worth, Line: "worth it: " + long, BelowW: &w,
			Better: []string{long, long}},
		Frequencies: []FrequencyShare{{FreqHz: 1e9, TimeNS: 5}, {FreqHz: 4e9, TimeNS: 9}},
		Energy: []Energy{{Source: Measured, Kind: "package", EnergyNJ: 1e15, MaxFreqNJ: 2e15,
			MaxFreqLoNJ: 1}},
		Refusals: []string{long}, Warnings: []string{long, long}}
	for name, r := range map[string]*Report{"most": &most, "nothing": {},
		"doubt": {Verdict: &verdict.Verdict{Answer: verdict.Unknown, Line: "cannot say: x"}}} {
		for _, width := range []int{46, 80, 200} {
			var b strings.Builder
			plain := func(s string) string { return s }
			r.WriteBrief(&b, &Look{Width: width, Good: func(s string) string { return "G" + s },
				Bad: plain, Doubtful: plain, Shorten: func(s string, most int) string {
					return string([]rune(s)[:min(most, utf8.RuneCountInString(s))])
				}})
			text := strings.TrimSuffix(b.String(), "\n")
			if got := strings.Contains(text, "Gworth it: "); got != (name == "most") {
				t.Errorf("%s: coloured: %v\n%s", name, got, text)
			}
			lines := strings.Split(strings.Replace(text, "Gworth", "worth", 1), "\n")
			if len(lines) > 10 {
				t.Errorf("%s: %d lines", name, len(lines))
			}
			for _, line := range lines {
				if utf8.RuneCountInString(line) > width {
					t.Errorf("%s, %d wide: too long: %q", name, width, line)
				}
				if point := strings.Index(line, "."); strings.HasPrefix(line, "  ") &&
					strings.Contains(" slower stands energy time clock ebb ",
						" "+strings.Fields(line)[0]+" ") && point != 17 {
					t.Errorf("%s: the point is in column %d: %q", name, point, line)
				}
			}
		}
	}
}

// TestNarrowKeepsTheMeaning: at 80 columns nothing is left out without which the rest would mean
// something else: ebb's own part of the slowdown, and that a saving is the model's alone.
func TestNarrowKeepsTheMeaning(t *testing.T) {
	plain := func(s string) string { return s }
	for _, f := range []verdict.Facts{
		{NoControl: "the machine has no frequency domain", Saved: 0.123, Used: 1, Lost: 0.1},
		{NoControl: "asked for", Saved: -0.123, Used: 1, Lost: 0.1},
		{NoControl: "x (y); z", Saved: 0.123, Used: 1, Lost: 0.1, Doubt: true},
		{Control: true, Below: true, Saved: 0.123, Used: 1, Lost: 0.1},
	} {
		r := Report{Verdict: verdict.Of(&f), Objective: "slowdown", SlowdownBudget: 0.1,
			SlowdownTotal: 0.2, SlowdownOwn: 0.15, Actuator: "setspeed"}
		if !f.Control {
			r.Actuator = "shadow"
		}
		var b strings.Builder
		r.WriteBrief(&b, &Look{Width: 80, Shorten: command.Clause, Good: plain, Bad: plain,
			Doubtful: plain})
		lines := strings.Split(b.String(), "\n")
		if !strings.Contains(lines[0], "the model expects ") ||
			!strings.Contains(lines[0], "12.3 %") {
			t.Errorf("%q", lines[0])
		}
		if !strings.Contains(lines[1], "20.0 %    15.0 % by ebb itself; budget 10.0 %") {
			t.Errorf("%q", lines[1])
		}
	}
}
