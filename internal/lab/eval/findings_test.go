package eval

import (
	"bytes"
	"strings"
	"testing"
)

// TestFindings: the page begins with three sentences and a drawing, as far as their figures were
// evaluated.
func TestFindings(t *testing.T) {
	rows := []Row{{"7", meanMemory, "ebb, energy saved", 5, 15.94, percent, none},
		{"7", meanMemory, "ebb, energy saved", 10, 23.66, percent, none},
		{"7", "xalan", "ebb, energy saved", 5, 17, percent, none}}
	for _, w := range names(every) {
		rows = append(rows, Row{"7", w, "ebb, slowdown", 5, 4, percent, none},
			Row{"7", w, "ebb, slowdown", 10, 9.25, percent, none})
	}
	rows[len(rows)-2].Value = 5.16 // sunflow's
	f := index(rows)
	got := strings.Join(f.findings(), "\n")
	want := "Within a budget of 5 %, ebb saved 15.9 % of the processor's energy on " +
		"memory-intensive programs, and within 10 % it saved 23.7 %; the paper's controller, in " +
		"the paper, 13 and 19 %.\n" +
		"The slowest program took 5.2 % longer within 5 % (sunflow), and 9.2 % longer within " +
		"10 % (xalan)."
	if got != want {
		t.Errorf("%s", got)
	}
	if c, ok := f.lead(); !ok || c.Series[0].Values[0] != 17 || c.Series[1].Reference[7] != 19 {
		t.Errorf("%t, %+v", ok, c)
	}
	if n := len(index(everything(t, true).Rows).findings()); n != 3 {
		t.Errorf("%d sentences of all figures", n)
	}
	if _, ok := index(nil).lead(); ok || len(index(nil).findings()) > 0 {
		t.Error("findings of nothing")
	}
}

// TestNavigation: each figure has a name of its own in the navigation, and its place on the page.
func TestNavigation(t *testing.T) {
	var b bytes.Buffer
	if err := everything(t, true).WriteHTML(&b, "v0"); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range figures {
		if f.short == "" || seen[f.short] {
			t.Errorf("figure %s is called %q in the navigation", f.name, f.short)
		}
		seen[f.short] = true
		if !strings.Contains(b.String(), `<h2 id="f`+f.name+`">`) {
			t.Errorf("figure %s has no place", f.name)
		}
	}
}
