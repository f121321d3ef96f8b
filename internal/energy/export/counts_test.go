package export

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// TestOwnLine: CSV and the page end their tables with ebb's own time, without a rank or a share,
// and with its energy where the zones have the whole machine.
func TestOwnLine(t *testing.T) {
	for name, known := range map[string]bool{"measured": true, "modelled": false} {
		p := sample(t)
		p.OwnRunNS = 2e9
		for i := range p.Zones {
			p.Zones[i].Source, p.Zones[i].OwnNJ = name, make([]int64, len(p.Rules))
			p.Zones[i].OwnNJ[0] = 3e9
		}
		e, _ := p.Own(0)
		var b bytes.Buffer
		if err := CSV(&b, p, rows(t, p), 0); err != nil {
			t.Fatal(err)
		}
		all, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		last, want := all[len(all)-1], ""
		if known {
			want = number(float64(e) / 1e9)
		}
		if last[0] != "" || last[1] != "(ebb itself)" || last[2] != want || last[3] != "" ||
			last[6] != "2" || last[9] != want {
			t.Errorf("%s: %q, want %q J", name, last, want)
		}
		b.Reset()
		if err := HTML(&b, &Run{}, p, rows(t, p), 0); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), `<tr class="own">`) ||
			strings.Contains(b.String(), "<td>not known</td>") == known {
			t.Errorf("%s: the page has another line", name)
		}
	}
}

// TestCountsAreEscaped: pages and tables show names that others wrote as they are, and no energy
// where there is none.
func TestCountsAreEscaped(t *testing.T) {
	const evil = "<script>\x1b]0;x\u202e</script>"
	p := sample(t)
	p.Counts = &profile.Counts{List: []profile.CountedCalls{{Name: evil, File: "=" + evil,
		Calls: 7, OtherCalls: 2, With: &profile.PerCall{MeanNJ: 2e6, LowNJ: 1e6, HighNJ: 3e6}}}}
	var page, table, text bytes.Buffer
	if err := CountsHTML(&page, &Run{Name: evil}, p); err != nil {
		t.Fatal(err)
	}
	if err := CountsCSV(&table, p); err != nil {
		t.Fatal(err)
	}
	if err := p.WriteCounts(&text, 200); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]string{"page": page.String(), "CSV": table.String(),
		"text": text.String()} {
		for _, wrong := range []string{"\x1b", "\u202e", "NaN", "\n="} {
			if strings.Contains(b, wrong) {
				t.Errorf("%s has %q", name, wrong)
			}
		}
	}
	if strings.Contains(page.String(), "<script>\u001b") ||
		!strings.Contains(page.String(), "<td>2 mJ</td><td>1 mJ-3 mJ</td><td>-</td>") ||
		!strings.Contains(table.String(), ",0.002,0.001,0.003,,,") ||
		!strings.Contains(text.String(), "called it 2 times") {
		t.Errorf("%s\n%s", &table, &text)
	}
}
