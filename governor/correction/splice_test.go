package correction

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/table"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
)

// stretches cuts the run of a recorded program into n stretches of the same work, by instructions,
// and returns each as a Learner's sample per instruction. The bracket is the wide one, of a machine
// that does not count the memory's part.
func stretches(t *testing.T, name string, freq, n int) []Sample {
	t.Helper()
	file := filepath.Join("..", "..", "predictor", "testdata", "traces",
		fmt.Sprintf("%s.%d.csv.gz", name, freq))
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := table.NewReader(f, file)
	if err != nil {
		t.Fatal(err)
	}
	insts := slices.Index(r.Columns(), "insts")
	columns := slices.Clone(r.Columns())
	if i := slices.Index(columns, "occ_dram"); i >= 0 {
		columns[i] = "not counted"
	}
	base := r.Header().Frequency
	type piece struct {
		p    *predictor.Predictor
		work float64
	}
	var all []piece
	var total float64
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := predictor.New(predictor.Config{Estimator: "bracket", Unit: epochs.Picosecond},
			columns)
		if err != nil {
			t.Fatal(err)
		}
		x := piece{p: p}
		x.p.Add(e, base)
		for _, row := range e.Rows {
			x.work += float64(row.Values[insts])
		}
		total += x.work
		all = append(all, x)
	}
	out := make([]Sample, n)
	work := make([]float64, n)
	var done float64
	for _, x := range all {
		i := min(int(float64(n)*(done+x.work/2)/total), n-1)
		done += x.work
		work[i] += x.work
		s := x.p.Sample()
		out[i].Frequency = s.Frequency
		out[i].Time, out[i].Lo, out[i].Hi = out[i].Time+s.Time, out[i].Lo+s.Lo, out[i].Hi+s.Hi
	}
	for i := range out {
		out[i].Sample = out[i].Per(work[i])
	}
	return out
}

// TestLearnFromSplicedRuns: programs put together from runs at two frequencies, stretch by stretch
// in turns, as if a governor had switched. The gated alpha is at most the margin worse than the
// midpoint, and better in a program whose bracket the midpoint does not fit.
func TestLearnFromSplicedRuns(t *testing.T) {
	const n, rounds = 24, 8
	for _, name := range []string{"xalan", "flip", "text", "bfs", "lockheavy", "rt_alloc",
		"streambw"} {
		for _, pair := range [][2]int{{1000, 2000}, {4000, 2000}, {1000, 4000}} {
			a, b := stretches(t, name, pair[0], n), stretches(t, name, pair[1], n)
			l := newLearner()
			var gated, middle float64
			for round := range rounds { // the program runs in a loop
				for i := range n {
					s, next := a[i], b[i]
					if i%2 == 1 {
						s, next = next, s
					}
					l.Add(s)
					// The same stretch at the other frequency is what a prediction has to hit.
					if round > 0 && next.Time > 0 {
						gated += math.Abs(s.At(next.Frequency, l.alpha(s.Phase))/next.Time - 1)
						middle += math.Abs(s.At(next.Frequency, nonscaling.Midpoint)/next.Time - 1)
					}
				}
			}
			if !(middle > 0) {
				t.Fatalf("%s %v: nothing predicted", name, pair)
			}
			gated, middle = gated/float64(n*(rounds-1)), middle/float64(n*(rounds-1))
			t.Logf("%s %v: error %.2f %%, midpoint %.2f %%", name, pair, 100*gated, 100*middle)
			if gated > middle*(1+margin)+0.001 {
				t.Errorf("%s %v: error %.4f, midpoint %.4f", name, pair, gated, middle)
			}
			if name == "xalan" && gated > 0.8*middle {
				t.Errorf("%s %v: learned too little: error %.4f, midpoint %.4f", name, pair, gated,
					middle)
			}
		}
	}
}
