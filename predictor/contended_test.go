package predictor

import (
	"bufio"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/epochs/table"
)

// contendedBound is the largest error allowed of a prediction beside other programs.
const contendedBound = 0.08

// TestContendedPairs: of recorded programs that share their CPUs or run under a quota, the time
// predicted at half the clock is that of twice the work beside the same others.
// tools/contended.sh records the pairs.
func TestContendedPairs(t *testing.T) {
	const dir = "testdata/contended"
	f, err := os.Open(filepath.Join(dir, "pairs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan() // the names of the columns
	n := 0
	for lines.Scan() {
		name, text, _ := strings.Cut(lines.Text(), ",")
		twice, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(name, ".csv.gz"), func(t *testing.T) {
			r := openTable(t, filepath.Join(dir, name))
			p := mustNew(t, Config{Unit: r.Header().TimeUnit}, r.Columns())
			addAll(t, p, r)
			base := r.Header().Frequency
			if d := p.Duration(base); d != float64(p.Measured()) {
				t.Errorf("%v at the base, measured %d", d, p.Measured())
			}
			half := p.Duration(base / 2)
			off := half/twice - 1
			t.Logf("%.3f s at half the clock, twice the work took %.3f s: %+.1f %%", half/1e9,
				twice/1e9, 100*off)
			if math.Abs(off) > contendedBound {
				t.Errorf("off by %+.1f %%", 100*off)
			}
		})
		n++
	}
	if err := lines.Err(); err != nil || n < 11 {
		t.Fatalf("%d pairs, %v", n, err)
	}
}

// addAll adds a table's epochs.
func addAll(t *testing.T, p *Predictor, r *table.Reader) {
	t.Helper()
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		p.Add(e, r.Header().Frequency)
	}
}
