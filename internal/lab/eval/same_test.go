//go:build amd64 && !race

package eval

import (
	"bytes"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

var whole = flag.Bool("whole", false, "compare all figures, which takes five minutes of CPU time")

// TestSameNumbers evaluates again with one seed for each run. The rows are, byte for byte, those of
// testdata/quick-seed-1.json.gz, which ebb eval --quick --seed 1 wrote. Without
// the flag -whole only two figures are drawn; make sim compares all.
//
// Floating point rounds differently on processors where Go fuses multiplication and addition, so
// the numbers are amd64's.
func TestSameNumbers(t *testing.T) {
	s := Settings{Quick: true, Seed: 1, Figures: []string{"7", "others"}}
	if *whole {
		s.Figures = nil
	}
	r, err := Evaluate(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := WriteJSON(&got, r.Rows); err != nil {
		t.Fatal(err)
	}
	want := string(devtest.UnpackedGolden(t, "testdata/quick-seed-1.json.gz"))
	if *whole && got.String() != want {
		t.Error("eval.json has other bytes")
	}
	is, was := rowsOf(got.String(), s.Figures), rowsOf(want, s.Figures)
	for i := range min(len(is), len(was)) {
		if is[i] != was[i] {
			t.Fatalf("row %d is\n%s\nand was\n%s", i, is[i], was[i])
		}
	}
	if len(is) != len(was) || len(is) < 100 {
		t.Errorf("%d rows, and there were %d", len(is), len(was))
	}
}

// rowsOf are the lines of an eval.json that belong to figures; none stands for all.
func rowsOf(text string, figures []string) (rows []string) {
	for line := range strings.Lines(text) {
		name, ok := strings.CutPrefix(line, `  {"figure": "`)
		name, _, _ = strings.Cut(name, `"`)
		if ok && (len(figures) == 0 || slices.Contains(figures, name)) {
			rows = append(rows, strings.TrimRight(line, ",\n"))
		}
	}
	return rows
}
