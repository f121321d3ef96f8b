package report

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/energy/verdict"
)

// plainLook is that of a page without colours.
func plainLook(width int) *Look {
	plain := func(s string) string { return s }
	return &Look{Width: width, Wrap: command.Wrap, Good: plain, Bad: plain, Doubtful: plain}
}

// TestBriefFits: whatever a run found, the brief summary has at most eight rows, no line of theirs
// is longer than the terminal's, nothing is cut, a broken row goes on below its own text, and no
// answer is coloured but the one.
func TestBriefFits(t *testing.T) {
	w := 12.34
	low, high := int64(37e9), int64(137e9)
	long := "something long" + strings.Repeat(", something long", 20)
	most := Report{Command: "make -j4", PID: 7, Actuator: "setspeed", Objective: "slowdown",
		SlowdownBudget: 0.05, SlowdownTotal: 0.0321, WallNS: 3 * 3600e9, ProfiledNS: 1e9,
		IdleNS: 2e8, LostRecords: 123456, OwnCPUNS: 100e9, OwnRSSBytes: 32 << 20,
		Verdict: &verdict.Verdict{Answer: verdict.Worth, Line: "worth it: " + long, BelowW: &w,
			Better: []string{long, long}},
		Frequencies: []FrequencyShare{{FreqHz: 1e9, TimeNS: 5}, {FreqHz: 4e9, TimeNS: 9}},
		Energy: []Energy{{Source: Measured, Kind: "package", EnergyNJ: 1e15, MaxFreqNJ: 2e15,
			MaxFreqLoNJ: 15e14, MaxFreqHiNJ: 25e14}},
		Power:    &Power{Taken: "spec table", LowNJ: &low, HighNJ: &high},
		Refusals: []string{long}, Warnings: []string{long, long}}
	for name, r := range map[string]*Report{"most": &most, "nothing": {},
		"doubt": {Verdict: &verdict.Verdict{Answer: verdict.Unknown, Line: "cannot say: x"}}} {
		for _, width := range []int{40, 46, 80, 200} {
			var b strings.Builder
			look := plainLook(width)
			look.Good = func(s string) string { return "G" + s }
			look.All = width == 80
			r.WriteBrief(&b, look)
			text := strings.TrimSuffix(b.String(), "\n")
			if got := strings.Contains(text, "Gworth it: "); got != (name == "most") {
				t.Errorf("%s: coloured: %v\n%s", name, got, text)
			}
			if strings.Contains(text, "…") {
				t.Errorf("%s: cut\n%s", name, text)
			}
			rows := 0
			for i, line := range strings.Split(strings.Replace(text, "Gworth", "worth", 1), "\n") {
				if utf8.RuneCountInString(line) > width {
					t.Errorf("%s, %d wide: too long: %q", name, width, line)
				}
				if i == 0 || line[2] != ' ' {
					rows++
				} else if line[headLabel] == ' ' && line[briefLabel] == ' ' {
					t.Errorf("%s: %q is not below its text", name, line)
				}
			}
			if want := map[string]int{"most": 8, "nothing": 5, "doubt": 5}[name]; rows != want {
				t.Errorf("%s: %d rows\n%s", name, rows, text)
			}
		}
	}
}

// TestNarrowKeepsTheMeaning: nothing is left out without which the rest would mean something else:
// ebb's own part of the slowdown, and that a saving is the model's alone.
func TestNarrowKeepsTheMeaning(t *testing.T) {
	for _, f := range []verdict.Facts{
		{NoControl: "the machine has no frequency domain", Saved: 0.123, Used: 1, Lost: 0.1},
		{NoControl: "asked for", Saved: -0.123, Used: 1, Lost: 0.1},
		{NoControl: "x (y); z", Saved: 0.123, Used: 1, Lost: 0.1, Doubt: true},
		{Control: true, Saved: 0.123, Used: 1, Lost: 0.1},
	} {
		f.Below = true
		r := Report{Verdict: verdict.Of(&f), Objective: "slowdown", SlowdownBudget: 0.1,
			SlowdownPredicted: 0.05, SlowdownTotal: 0.2, SlowdownOwn: 0.15, Actuator: "setspeed"}
		if !f.Control {
			r.Actuator, r.ActuatorReason = "shadow", f.NoControl
		}
		for _, width := range []int{40, 80} {
			var b strings.Builder
			r.WriteBrief(&b, plainLook(width))
			text := strings.Join(strings.Fields(b.String()), " ")
			for _, want := range []string{"the model expects 12.3 %", "slower 20.0 % of a budget " +
				"of 10.0 %", "5.0 % by the clock, 15.0 % by ebb itself"} {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, b.String())
				}
			}
			if strings.Contains(text, f.NoControl) && !f.Control {
				t.Errorf("%q is said again in\n%s", f.NoControl, text)
			}
		}
	}
}

// TestBriefEnergy: the energy is beside that at the highest clock, in one way for each source.
func TestBriefEnergy(t *testing.T) {
	zone := func(source string, used, top int64) Energy {
		return Energy{Zone: "cpu", Source: source, Model: "m", Kind: "package", EnergyNJ: used,
			MaxFreqNJ: top}
	}
	metered := zone(Measured, 90e9, 100e9)
	metered.MaxFreqLoNJ, metered.MaxFreqHiNJ = 96e9, 105e9
	for want, z := range map[string]Energy{
		"90 J by the meters, of all that ran: 10.0 % less (6.2 to 14.3) than at the highest " +
			"clock": metered,
		"50 J of processor and memory by the model m: 25.0 % more than at the highest " +
			"clock": zone(Modelled, 50e9, 40e9),
		"25.0 % more than at the highest clock on the reference processor " +
			"(m)": zone(Reference, 50e9, 40e9),
		"0.0 % less than at the highest clock on the reference processor (m)": zone(Reference,
			40e9, 40e9),
		"": zone("", 0, 0),
	} {
		if got := (&Report{Energy: []Energy{z}}).briefEnergy(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestBetterIsCounted: what the machine lacks is a number, what this run can have is said.
func TestBetterIsCounted(t *testing.T) {
	f := verdict.Facts{NoControl: "x", Lost: 0.01, Budget: 0.05, Share: 0.3}
	var b strings.Builder
	(&Report{Verdict: verdict.Of(&f)}).WriteBrief(&b, plainLook(200))
	const want = "better  run it alone, or govern all that runs: ebb run --cgroup PATH; 2 more " +
		"things would make this better: ebb doctor; -v prints all\n"
	if !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}

// TestTooShort: of a run that is too short to say, neither summary has a share of its time or
// energy, nor a warning of ebb's own, and both have what was counted.
func TestTooShort(t *testing.T) {
	for _, wall := range []int64{999e6, 1e9} {
		r := Report{Objective: "slowdown", SlowdownBudget: 0.05, SlowdownOwn: 0.573,
			SlowdownTotal: 0.573, WallNS: wall, ProfiledNS: wall, OwnStartCPUNS: 300e6,
			OwnCPUNS: 312e6, Actuator: "shadow", IdleNS: wall / 4, Energy: []Energy{{Zone: "cpu",
				Source: Modelled, Model: "table2", EnergyNJ: 3e9, MaxFreqNJ: 2e9}}}
		r.Judge()
		var brief, all strings.Builder
		r.WriteBrief(&brief, plainLook(80))
		r.WriteSummary(&all)
		b, err := json.Marshal(&r)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{`"lost":`, `"slowdown_own":`, `"slowdown_total":`} {
			if got := strings.Contains(string(b), key+"null"); got != (wall < 1e9) {
				t.Errorf("%d ns: %s is null: %t in\n%s", wall, key, got, b)
			}
		}
		for name, text := range map[string]string{"brief": brief.String(), "all": all.String()} {
			for _, share := range []string{"57.3 %", "50.0 %", "of one CPU", "25.0 %"} {
				if got := strings.Contains(text, share); got != (wall == 1e9) {
					t.Errorf("%s, %d ns: %q: %t\n%s", name, wall, share, got, text)
				}
			}
			if !strings.Contains(text, "300 ms of CPU time to start, then ") ||
				!strings.Contains(text, "3 J of processor and memory") {
				t.Errorf("%s, %d ns: what was counted is missing\n%s", name, wall, text)
			}
		}
	}
}

// TestOneOwnTime: ebb's own CPU time beside the program is that of the attribution's windows, what
// came later stands apart, and the three add up.
func TestOneOwnTime(t *testing.T) {
	r := Report{WallNS: 2e9, OwnStartCPUNS: 300e6, OwnCPUNS: 800e6,
		Attribution: &profile.Profile{OwnRunNS: 100e6, OwnCPUNS: 800e6}}
	const want = "300 ms of CPU time to start, then 100 ms (5.0 % of one CPU), " +
		"and 400 ms for names and the end"
	if got := r.ownTime(true); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
