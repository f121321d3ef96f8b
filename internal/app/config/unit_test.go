package config

import (
	"fmt"
	"strings"
	"testing"
)

// TestDecodeUnit: what a unit's file says of ebb's budget, by systemd's grammar. The files of a
// unit are taken one after the other.
func TestDecodeUnit(t *testing.T) {
	for text, want := range map[string]Wish{
		"":                                                       {},
		"[Service]\nSlowdown=5%\n":                               {},
		"[X-Ebb]\nSlowdown=5%\n":                                 {0.05, true},
		"\ufeff[X-Ebb]\r\nSlowdown=5%\r\n":                       {0.05, true},
		"  [X-Ebb]  \n \tSlowdown = 5% \t":                       {0.05, true},
		"# x\n[X-Ebb]\n;y\n\nSlowdown=0%":                        {0, true},
		"[X-Ebb]\nSlowdown=5%\nSlowdown=1%":                      {0.01, true},
		"[X-Ebb]\nSlowdown=5%\nSlowdown=":                        {},
		"[X-Ebb]\nSlowdown=\\\n# not a part\n  5%":               {0.05, true},
		"[Service]\nExecStart=x \\\n[X-Ebb]\nSlowdown=5%\n":      {},
		"[Service]\nExecStart=x \\\\\n[X-Ebb]\nSlowdown=5%\n":    {0.05, true},
		"[X-Ebb]\nSlowdown=5%\n[Service]\nSlodown=x\nnonsense\n": {0.05, true},
		"[X-Other]\nSlowdown=x\n[X-Ebb]\nSlowdown=5%":            {0.05, true},
		"[X-Ebb]\nSlowdown=5%\\":                                 {0.05, true},
		"[X-Ebb]\nSlowdown=5%\n[X-Ebb]\nSlowdown=":               {},
		// A long file of another program's, and long lines.
		strings.Repeat("#\n", 1<<20) + "[X-Ebb]\nSlowdown=5%":                   {0.05, true},
		"[Service]\nX=" + strings.Repeat("y", 1<<20) + "\n[X-Ebb]\nSlowdown=5%": {0.05, true},
		"[X-Ebb]\nSlowdown=" + strings.Repeat("\\\n", 1<<18) + "5%":             {0.05, true},
	} {
		var got Wish
		if err := got.DecodeUnit(strings.NewReader(text), "x.conf"); err != nil || got != want {
			t.Errorf("%.200q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	w := Wish{}
	for i, text := range []string{"[X-Ebb]\nSlowdown=5%", "[Unit]\n", "[X-Ebb]\nSlowdown=7%"} {
		if err := w.DecodeUnit(strings.NewReader(text), fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if (w != Wish{0.07, true}) {
		t.Errorf("three files: %+v", w)
	}
}

// refusedUnits are texts with a mistake, and what the error says.
var refusedUnits = []struct {
	text string
	says []string
}{
	{"[X-Ebb]\nSlowdown=5", []string{"line 2", "Slowdown", "percent sign"}},
	{"[X-Ebb]\n\nSlowdown=500%", []string{"line 3", "between 0% and 100%"}},
	{"[X-Ebb]\nSlowdown=\\\n\\\nx%", []string{"line 2", "Slowdown"}},
	{"[X-Ebb]\nSlodown=5%", []string{"line 2", "did you mean Slowdown"}},
	{"[X-Ebb]\nslowdown=5%", []string{"line 2", "did you mean Slowdown"}},
	{"[X-Ebb]\nBudget=5%", []string{"line 2", "no such key"}},
	{"[X-Ebb]\nSlowdown 5%", []string{"line 2", "has no ="}},
	{"[X-EBB]\nSlowdown=5%", []string{"line 1", "[X-Ebb]"}},
	{"[X-Ebb\nSlowdown=5%", []string{"line 1", "[X-Ebb]"}},
	{"[ X-Ebb ]\nSlowdown=5%", []string{"line 1", "[X-Ebb]"}},
	{"[X-Ebb]]\nSlowdown=5%", []string{"line 1", "[X-Ebb]"}},
	{"[[X-Ebb]\nSlowdown=5%", []string{"line 1", "[X-Ebb]"}},
	{"[X-Ebb] # of ebb\nSlowdown=5%", []string{"line 1", "[X-Ebb]"}},
	{"[X-Ebb]\x00\nSlowdown=5%", []string{"line 1", "[X-Ebb]"}},
	{"[X-Ebb]\nSlowdow\x1b=5%", []string{"line 2", "did you mean Slowdown"}},
	{"[X-Ebb]\nSlowdown=5%\x00", []string{"line 2", "Slowdown"}},
	{"[X-Ebb]\nSlowdown=5%%", []string{"line 2", "Slowdown"}},
	{"[X-Ebb]\nSlowdown=NaN%", []string{"line 2", "Slowdown"}},
	{"[X-Ebb]\n\ufeffSlowdown=5%", []string{"line 2", "no such key"}},
	{strings.Repeat("#\n", maxUnitBytes/2+1), []string{"longer than"}},
}

func TestDecodeUnitErrors(t *testing.T) {
	for _, c := range refusedUnits {
		var w Wish
		err := w.DecodeUnit(strings.NewReader(c.text), "x.conf")
		if err == nil {
			t.Errorf("%.80q was accepted", c.text)
			continue
		}
		for _, says := range append(c.says, "x.conf") {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%.80q: %q does not say %q", c.text, err, says)
			}
		}
		if len(err.Error()) > 300 || strings.ContainsAny(err.Error(), "\n\x00\x1b") {
			t.Errorf("%.80q: no sentence: %q", c.text, err)
		}
	}
}

// FuzzDecodeUnit: no text makes DecodeUnit fall over, and a budget that it takes is one.
func FuzzDecodeUnit(f *testing.F) {
	f.Add("[X-Ebb]\nSlowdown=\\\n#\n5%\n")
	for _, c := range refusedUnits {
		if len(c.text) < 1000 {
			f.Add(c.text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		var w Wish
		err := w.DecodeUnit(strings.NewReader(text), "x.conf")
		if err == nil && w.Given && w.Slowdown.Validate() != nil {
			t.Errorf("takes %v", w.Slowdown)
		}
		if err != nil && !strings.Contains(err.Error(), "x.conf") {
			t.Errorf("%q does not name the file", err)
		}
	})
}

// TestAddUnit: a file of tenants comes before a unit's own.
func TestAddUnit(t *testing.T) {
	all := Tenants{Tenants: []Tenant{{Name: "web", Unit: "nginx"}}, Rest: RestHighest}
	for _, c := range []struct {
		unit string
		wish Wish
		now  int
	}{{"nginx.service", Wish{0.05, true}, 1}, {"a.service", Wish{}, 1},
		{"b@1.service", Wish{0.05, true}, 2}, {"system-b.slice", Wish{0, true}, 3}} {
		if err := all.AddUnit(c.unit, c.wish); err != nil || len(all.Tenants) != c.now {
			t.Errorf("%s: %+v, %v", c.unit, all.Tenants, err)
		}
	}
	if err := all.Validate(); err != nil {
		t.Error(err)
	}
	long := strings.Repeat("x", 60) + ".service"
	if err := all.AddUnit(long, Wish{0.05, true}); err == nil ||
		!strings.Contains(err.Error(), "too long") || !strings.Contains(err.Error(), long) {
		t.Error(err)
	}
}
