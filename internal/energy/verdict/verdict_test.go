package verdict

import (
	"os"
	"strings"
	"testing"
	"time"
)

// good is a run that was worth it: 10 % saved with certainty, 5 % lost.
func good() Facts {
	return Facts{Control: true, Metered: true, Saved: 0.10, Lo: 0.08, Hi: 0.12, Below: true,
		Used: 90e9, Lost: 0.05, Wall: 10500 * time.Millisecond, Share: 0.95, Pairs: 12,
		Counters: true, Budget: 0.1}
}

// TestTableOfVerdicts holds each line of docs/verdict.md: which line appears for which machine.
func TestTableOfVerdicts(t *testing.T) {
	page, err := os.ReadFile("../../../docs/verdict.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		change func(*Facts)
		answer Answer
		says   string // of the line; in the page, too
		better string // "" for nothing
	}{
		{"the meter shows a saving", func(*Facts) {}, Worth,
			"of the energy saved", ""},
		{"the meter shows a loss",
			func(f *Facts) { f.Saved, f.Lo, f.Hi = -0.05, -0.06, -0.04 }, Not,
			"more energy than at the highest clock", "--minimize system-energy"},
		{"the meter's interval has both",
			func(f *Facts) { f.Saved, f.Lo, f.Hi, f.Pairs = 0.01, -0.02, 0.04, 2 }, Unknown,
			"more and", "a longer run"},
		{"the meter's interval lies within 0.1 %, and no time is lost",
			func(f *Facts) { f.Saved, f.Lo, f.Hi, f.Lost = 0.0001, -0.0002, 0.0004, 0 }, Nothing,
			"less than 0.1 % of the energy saved or lost, no time lost", ""},
		{"a saving, and the rest draws more", func(f *Facts) { f.Platform = 40 }, Not,
			"everything else draws", "--minimize system-energy"},
		{"a saving, and the rest draws less", func(f *Facts) { f.Platform = 3 }, Worth,
			"of the energy saved", ""},
		{"a saving and no time lost", func(f *Facts) { f.Lost = 0 }, Worth, "no time lost", ""},
		{"always at the highest clock", func(f *Facts) { f.Below, f.Lost = false, 0 }, Nothing,
			"nothing saved, nothing lost", ""},
		{"the same, and ebb costs time", func(f *Facts) {
			f.Below, f.Lost, f.Saved, f.Lo, f.Hi = false, 0.02, -0.015, -0.02, -0.01
		}, Nothing, "more energy by ebb itself", ""},
		{"the same, and ebb costs energy alone", func(f *Facts) {
			f.Below, f.Lost, f.Saved, f.Lo, f.Hi = false, 0, -0.015, -0.02, -0.01
		}, Nothing, "no time lost and ", ""},
		{"the same without a meter", func(f *Facts) {
			f.Below, f.Lost, f.Metered = false, 0.02, false
		}, Nothing, "more time by ebb itself", ""},
		{"the same, and the least system energy was wanted", func(f *Facts) {
			f.Below, f.Lost, f.Metered, f.Budget, f.Minimize = false, 0.02, false, 0, true
		}, Nothing, "stay at the highest clock all the time", ""},
		{"limits leave one clock", func(f *Facts) {
			f.Below, f.Lost, f.OneClock, f.Highest, f.Hardware = false, 0, true, 4e8, 4.463e9
			f.LimitedBy = "devices/system/cpu/cpufreq/policy0/scaling_max_freq"
		}, Nothing, "one clock to choose from, 400 MHz of 4.463 GHz", "scaling_max_freq"},
		{"always at the highest clock within limits", func(f *Facts) {
			f.Below, f.Lost, f.Highest, f.Hardware = false, 0, 2e9, 4e9
			f.LimitedBy = "devices/system/cpu/cpufreq/policy0/scaling_max_freq"
		}, Nothing, "the highest clock that the limits allow", "scaling_max_freq"},
		{"a limit for some CPUs alone", func(f *Facts) {
			f.Highest, f.Uneven, f.UnevenAt = 4e9, "policy1/scaling_max_freq", 4e8
		}, Worth, "of the energy saved",
			"one limit for all CPUs"},
		{"always at a state that stands for turbo, uncounted", func(f *Facts) {
			f.Below, f.Lost, f.Highest, f.Hardware, f.AtLeast = false, 0, 2.401e9, 2.401e9, true
		}, Nothing, "at least, with turbo", ""},
		{"the highest clock, for want of certainty",
			func(f *Facts) { f.Below, f.Metered, f.Doubt = false, false, true }, Nothing,
			"what a lower clock would save is less than the doubt", "this processor's parameters"},
		{"a meter that shows more power than there can be", func(f *Facts) {
			f.Metered, f.Disbelieved = false, "package-0 shows 15kW: the meter is not believed"
		}, Unknown, "the meter is not believed; the model expects 10.0 % less energy",
			"a meter that can be believed"},
		{"no meter", func(f *Facts) { f.Metered = false }, Unknown,
			"no energy meter", "an energy meter"},
		{"no control", func(f *Facts) { f.Control, f.NoControl = false, "asked for" }, Unknown,
			"ebb set no clock", "a machine on which ebb can set"},
		{"no control, no meter", func(f *Facts) { f.Control, f.Metered = false, false }, Unknown,
			"ebb set no clock", "a machine on which ebb can set"},
		{"no control, and no lower clock would have been set", func(f *Facts) {
			f.Control, f.Metered, f.Below, f.Own = false, false, false, 0.05
		}, Unknown, "ebb would have kept the highest clock; 5.0 % more time by ebb itself",
			"a machine on which ebb can set"},
		{"the same, and the least system energy is wanted", func(f *Facts) {
			f.Control, f.Metered, f.Below, f.Minimize, f.Budget = false, false, false, true, 0
		}, Unknown, "stay at the highest clock: no lower one would have saved energy",
			"a machine on which ebb can set"},
		{"a run of less than a second", func(f *Facts) {
			f.Metered, f.Wall, f.Lost, f.Saved = false, 2300*time.Microsecond, 0.46, -0.49
		}, Unknown, "too short to say: the program took 2.3 ms, and 1 s or more would do",
			"an energy meter"},
		{"the same beside a meter", func(f *Facts) { f.Wall = 300 * time.Millisecond }, Unknown,
			"the program took 300 ms, and 5 s or more would do", ""},
		{"the same without control", func(f *Facts) {
			f.Control, f.NoControl, f.Wall = false, "asked for", 300*time.Millisecond
		}, Unknown, "too short to say", "a machine on which ebb can set"},
		{"no PMU", func(f *Facts) { f.Counters = false }, Worth, "of the energy saved", "a PMU"},
		{"no PMU, a table", func(f *Facts) { f.Counters, f.Table = false, true }, Worth,
			"of the energy saved", ""},
		{"others have most of the busy time", func(f *Facts) { f.Share = 0.4 }, Unknown,
			"others as well; all together used 10.0 % less energy", "run it alone"},
		{"a small saving beside others", func(f *Facts) {
			f.Saved, f.Lo, f.Hi, f.Share, f.Pace = 0.03, 0.02, 0.04, 0.75, 0.85
		}, Unknown, "more and", ""},
		{"a client of a daemon",
			func(f *Facts) { f.Share, f.Others = 0.02, 8*time.Second }, Unknown,
			"of the busy CPU time was the program's", "a daemon may do the program's work"},
		{"docker run", func(f *Facts) {
			f.Share, f.Others, f.Client = 0.1, 8*time.Second, Client("/usr/bin/docker")
		}, Unknown, "of the busy CPU time was the program's", "a daemon does the work of docker"},
		{"a budget used up", func(f *Facts) { f.Budget = 0.05 }, Worth, "of the energy saved",
			"a higher budget"},
		{"one clock is as good", func(f *Facts) { f.AsGood = 2e9 }, Worth, "of the energy saved",
			"--frequency 2GHz"},
		{"`ebb bench --runs 1`", func(f *Facts) { f.Bare = true }, Unknown, "in the one run", ""},
	} {
		f := good()
		tc.change(&f)
		v := Of(&f)
		if v.Answer != tc.answer || !strings.Contains(v.Line, tc.says) ||
			!strings.HasPrefix(v.Line, string(v.Answer)+": ") {
			t.Errorf("%s: %s, want %q with %q", tc.name, v.Line, tc.answer, tc.says)
		}
		if strings.Contains(v.Line, TooShort) && strings.Contains(v.Line, "%") {
			t.Errorf("%s: percents of a run that is too short: %s", tc.name, v.Line)
		}
		all := strings.Join(v.Better, "; ")
		if tc.better == "" && all != "" || !strings.Contains(all, tc.better) {
			t.Errorf("%s: better would be %q, want %q", tc.name, all, tc.better)
		}
		for _, words := range []string{tc.says, tc.better, "| " + tc.name + " |"} {
			if !strings.Contains(string(page), words) {
				t.Errorf("%s: docs/verdict.md has no %q", tc.name, words)
			}
		}
	}
}

// TestStarvedIsNoClient: a program that wants the CPUs and does not get them is where the work is.
func TestStarvedIsNoClient(t *testing.T) {
	f := good()
	f.Share, f.Others = 0.15, 10*time.Second
	if all := strings.Join(Of(&f).Better, "; "); strings.Contains(all, "daemon") {
		t.Error(all)
	}
	for _, name := range []string{"", "dockerd", "./app", "java"} {
		if Client(name) != "" {
			t.Errorf("%q is a client", name)
		}
	}
}

// TestBelow: 90 J were used, and 8 % of 97.8 J is certainly saved: 7.83 J in half a second of lost
// time are 15.7 W.
func TestBelow(t *testing.T) {
	f := good()
	v := Of(&f)
	if v.BelowW == nil || *v.BelowW > 15 || *v.BelowW < 13 {
		// 95 % of the busy time is the program's: 7.6 % of 97.4 J
		t.Errorf("stands below %v W", v.BelowW)
	}
	f.Share = 0
	if v = Of(&f); v.BelowW == nil || *v.BelowW < 15.6 || *v.BelowW > 15.7 {
		t.Errorf("stands below %v W, want 15.65", v.BelowW)
	}
	if v.ProgramShare != nil {
		t.Error("a share of nothing known")
	}
}

// TestSharedClockClaimsLess: beside others a saving is claimed for the program's part, and what is
// less certain is said to be.
func TestSharedClockClaimsLess(t *testing.T) {
	alone, beside := good(), good()
	alone.Share, beside.Share = 1, 0.6
	a, b := Of(&alone), Of(&beside)
	if !(*b.Saved < *a.Saved && *b.Lo < *a.Lo && *b.Hi <= *a.Hi) {
		t.Errorf("alone %v (%v to %v), beside others %v (%v to %v)", *a.Saved, *a.Lo, *a.Hi,
			*b.Saved, *b.Lo, *b.Hi)
	}
}
