package vesta

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// linear is a table of programs whose power is a line over the first three of twenty inputs, with
// noise; the other inputs are noise alone, and the last one never varies.
func linear(noise float64, programs, rows int) *powermodel.Table {
	r := rand.New(rand.NewPCG(9, 1))
	t := &powermodel.Table{Columns: make([][]float64, 20)}
	for k := range t.Columns {
		t.Inputs = append(t.Inputs, fmt.Sprintf("counter_%d", k))
	}
	for p := range programs {
		t.Programs = append(t.Programs, fmt.Sprint("program ", p))
		for range rows {
			power := 60 + noise*r.NormFloat64()
			for k := range t.Columns {
				x := 100 * r.Float64()
				switch {
				case k < 3:
					power += x * float64(k+1) / 10
				case k == 19:
					x = 7
				}
				t.Columns[k] = append(t.Columns[k], x)
			}
			t.Power, t.Program = append(t.Power, power), append(t.Program, p)
		}
	}
	return t
}

// TestGreedyFindsTheInputs: the inputs that the power is made of are chosen first, an input that
// never varies is not, and the line over them is the machine's own.
func TestGreedyFindsTheInputs(t *testing.T) {
	table := linear(0, 4, 200)
	table.Columns[1][17] = math.NaN()
	rows := make([]int, table.Rows())
	for i := range rows {
		rows[i] = i
	}
	l := fitGreedy(table, rows)
	if len(l.columns) != greedyInputs || slices.Contains(l.columns, 19) ||
		!slices.Equal(l.columns[:3], []int{2, 1, 0}) {
		t.Errorf("chose %v", l.columns)
	}
	for i, k := range l.columns {
		want := 0.0
		if k < 3 {
			want = float64(k+1) / 10
		}
		if math.Abs(l.slopes[i]-want) > 0.01 {
			t.Errorf("the slope of input %d is %v, want %v", k, l.slopes[i], want)
		}
	}
	if math.Abs(l.base-60) > 2 {
		t.Errorf("base %v, want 60", l.base)
	}
}

// TestValidate: every model has an error and a spread for every program; the line errs least on a
// machine that is one; the same seed gives the same, and another one does not.
func TestValidate(t *testing.T) {
	table := linear(2, 5, 60)
	run := func(seed uint64) []Result {
		done := 0
		out, err := Validate(t.Context(), table, 4, seed, func(n, of int) {
			if done++; n != done || of != 16 {
				t.Errorf("progress %d of %d after %d", n, of, done)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	a := run(1)
	if fmt.Sprint(a) != fmt.Sprint(run(1)) || fmt.Sprint(a) == fmt.Sprint(run(2)) {
		t.Error("the seed does not decide the halves alone")
	}
	by := map[string]Result{}
	for _, r := range a {
		by[r.Model] = r
		if len(r.Programs) != 5 || !(r.Mean > 0) || !(r.Deviation > 0) {
			t.Errorf("%s: %+v", r.Model, r)
		}
		for _, p := range r.Programs {
			if !(p.Mean > 0) || !(p.Deviation > 0) || p.Mean > 0.2 {
				t.Errorf("%s: %+v", r.Model, p)
			}
		}
	}
	if len(by) != len(models) || by[greedyModel].Mean > by["xgboost"].Mean {
		t.Errorf("twelve inputs err by %v, trees by %v", by[greedyModel].Mean, by["xgboost"].Mean)
	}
	// The mean error of a program's energy is about that of the mean of its 30 intervals' noise.
	if m := by[greedyModel].Mean; m > 0.02 {
		t.Errorf("twelve inputs err by %v", m)
	}
}

func TestRefused(t *testing.T) {
	if _, err := Validate(t.Context(), linear(1, 2, 3), 2, 1, func(int, int) {}); !errors.Is(err,
		errRows) {
		t.Errorf("three intervals: %v", err)
	}
	if _, err := Read(strings.NewReader("a,b\n"), "w", "p", "nothing"); err == nil {
		t.Error("unknown inputs were accepted")
	}
}
