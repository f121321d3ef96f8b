package view

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// TestCompare: a run in which one unit doubled, one is gone, and one is new.
func TestCompare(t *testing.T) {
	before := []profile.Row{
		{Unit: "a", Energy: 600, Share: 0.6, Low: 0.55, High: 0.65, Samples: 60},
		{Unit: "b", Energy: 300, Share: 0.3, Low: 0.25, High: 0.35, Samples: 30},
		{Unit: "gone", Energy: 100, Share: 0.1, Low: 0.05, High: 0.15, Samples: 10},
	}
	after := []profile.Row{
		{Unit: "a", Energy: 1200, Share: 0.75, Low: 0.7, High: 0.8, Samples: 75},
		{Unit: "b", Energy: 360, Share: 0.225, Low: 0.18, High: 0.27, Samples: 20},
		{Unit: "new", Energy: 40, Share: 0.025, Low: 0.01, High: 0.06, Samples: 2},
	}
	rows := compareRows(before, after)
	var order []string
	shown := map[string]bool{}
	for _, d := range rows {
		order = append(order, d.Unit)
		shown[d.Unit] = d.Shown
	}
	if want := []string{"a", "gone", "b", "new"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	if !shown["a"] || shown["b"] || !shown["gone"] || !shown["new"] {
		t.Errorf("shown %v", shown)
	}
	var b bytes.Buffer
	if err := writeDifferences(&b, profile.Amounts{}, rows, 3, printable.All); err != nil {
		t.Fatal(err)
	}
	devtest.Golden(t, "testdata/difference.txt", b.Bytes())
}

// FuzzDifferences: of any profile that passes its check the change can be shown.
func FuzzDifferences(f *testing.F) {
	b, err := os.ReadFile("../../energy/export/testdata/profile.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"rules":["ledger"]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p profile.Profile
		if json.Unmarshal(b, &p) != nil || p.Check() != nil {
			return
		}
		for _, by := range profile.Views {
			v, err := profile.NewView(&p, by, nil)
			if err != nil {
				t.Fatal(err)
			}
			rows := p.Rows(v, 0)
			_ = writeDifferences(io.Discard, p.Amounts(), compareRows(rows, rows), 10,
				printable.All)
		}
	})
}
