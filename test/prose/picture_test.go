package prose

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	// drawn finds a setting in the titles of the picture's marks, its slowdown and its energy.
	drawn = regexp.MustCompile(`<title>([^<:]+): (−?[0-9.]+) %, (−?[0-9.]+) %</title>`)
	// printed finds them in the table, of which the first row has no differences.
	printed = regexp.MustCompile(`(?m)^(\S.*?)  +[0-9.]+ m?s  +([+-][0-9.]+) %.*? J  +([+-][0-9.]+) %`)
)

// TestPictureIsTheFile: the README's picture shows the figures of docs/figures/bench-xalan.txt,
// which the same command writes.
func TestPictureIsTheFile(t *testing.T) {
	var found [2]map[string][2]float64
	for i, f := range []struct {
		path  string
		match *regexp.Regexp
	}{{"pictures/bench-xalan.svg", drawn}, {"figures/bench-xalan.txt", printed}} {
		text, err := os.ReadFile(filepath.Join(root, "docs", f.path))
		if err != nil {
			t.Fatal(err)
		}
		found[i] = map[string][2]float64{}
		for _, m := range f.match.FindAllStringSubmatch(string(text), -1) {
			found[i][m[1]] = [2]float64{value(t, m[2]), value(t, m[3])}
		}
	}
	compared := 0
	for name, marked := range found[0] {
		row, ok := found[1][name]
		if !ok {
			continue // the highest frequency itself
		}
		compared++
		for k := range marked {
			if math.Abs(marked[k]-row[k]) > 0.1 { // both are rounded
				t.Errorf("%s: drawn at %v %%, printed as %v %%", name, marked, row)
			}
		}
	}
	if compared < 15 || compared < len(found[0])-1 {
		t.Errorf("%d of %d marks compared with %d rows", compared, len(found[0]), len(found[1]))
	}
}

func value(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.Replace(s, "−", "-", 1), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
