package predictor

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/epochs/table"
)

// openTable reads the table in the named file until the test ends.
func openTable(t *testing.T, name string) *table.Reader {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	r, err := table.NewReader(f, name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRecordedRunsAreExactAtTheBase: of every recorded run, every model gives back the measured
// time at the base frequency, and predicts no higher frequency to be slower.
func TestRecordedRunsAreExactAtTheBase(t *testing.T) {
	files, err := filepath.Glob("testdata/traces/*.csv.gz")
	if err != nil || len(files) == 0 {
		t.Fatal("no recorded runs", err)
	}
	tso, _ := filepath.Glob("testdata/traces/tso/*.csv.gz")
	for _, file := range append(files, tso...) {
		r := openTable(t, file)
		base := r.Header().Frequency
		var ps []*Predictor
		for _, model := range ModelNames() {
			for _, estimator := range []string{"", "crit", "none"} {
				ps = append(ps, mustNew(t, Config{Model: model, Estimator: estimator,
					Unit: r.Header().TimeUnit}, r.Columns()))
			}
		}
		for {
			e, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range ps {
				p.Add(e, base)
			}
		}
		for _, p := range ps {
			if d := p.Duration(base); d != float64(p.Measured()) ||
				p.Measured() != r.Header().Total {
				t.Errorf("%s, %s %s: %v at the base, measured %d, the table says %d", file,
					p.cfg.Model, p.cfg.Estimator, d, p.Measured(), r.Header().Total)
			}
			last := math.Inf(1)
			for f := 500 * mhz; f <= 5000*mhz; f += 125 * mhz {
				d := p.Duration(f)
				if d > last*(1+1e-12) {
					t.Errorf("%s, %s %s: %v at %d MHz, %v one step below", file, p.cfg.Model,
						p.cfg.Estimator, d, f/mhz, last)
				}
				last = d
			}
		}
	}
}
