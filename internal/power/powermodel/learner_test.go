package powermodel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// machine makes rows of programs on a machine whose power is known: concave in the busy share, with
// a term for what the kernel cannot see, which differs by program. The rate of context switches
// identifies the program and says nothing of its power.
func machine(r *rand.Rand, programs, rows int, hidden float64) *Table {
	t := &Table{Inputs: []string{"cpu_user", "cpu_system", "contexts"},
		Columns: make([][]float64, 3)}
	for p := range programs {
		t.Programs = append(t.Programs, fmt.Sprint("program ", p))
		rate := 1000 * r.Float64()
		centre, own := 10+80*r.Float64(), hidden*r.NormFloat64()
		for range rows {
			user := min(max(centre+15*r.NormFloat64(), 0), 95)
			system := 5 * r.Float64()
			busy := (user + system) / 100
			power := 100 + 120*math.Sqrt(busy) + own*busy + r.NormFloat64()
			for k, x := range []float64{user, system, rate + 5*r.NormFloat64()} {
				t.Columns[k] = append(t.Columns[k], x)
			}
			t.Power, t.Program = append(t.Power, power), append(t.Program, p)
		}
	}
	return t
}

func all(t *Table) []int { return t.of(func(int) bool { return true }) }

// TestRidgeIsTheBest checks that a line with weights of zero or more has no better neighbour that
// is one.
func TestRidgeIsTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 20 {
		x, y, weight := make([][]float64, 4), make([]float64, 60), make([]float64, 60)
		for i := range x {
			x[i] = make([]float64, len(y))
		}
		for j := range y {
			for i := range x {
				x[i][j] = r.Float64()
			}
			y[j] = 50 + 30*x[0][j] - 20*x[1][j] + 5*x[2][j] + r.NormFloat64()
			weight[j] = 1 / float64(len(y))
		}
		const penalty = 1e-3
		m := fitRidge(x, y, weight, penalty)
		cost := func(base float64, w []float64) (sum float64) {
			for j := range y {
				miss := y[j] - base
				for i := range w {
					miss -= w[i] * x[i][j]
				}
				sum += weight[j] * miss * miss
			}
			return sum + penalty*dot(w, w)
		}
		least := cost(m.base, m.weights)
		for i := range m.weights {
			if m.weights[i] < 0 {
				t.Fatalf("weights %v", m.weights)
			}
			for _, step := range []float64{-0.1, 0.1} {
				w := append([]float64(nil), m.weights...)
				if w[i] += step; w[i] >= 0 && cost(m.base, w) < least {
					t.Errorf("weight %d: %v is better than %v", i, w, m.weights)
				}
			}
		}
		if cost(m.base+0.1, m.weights) < least || cost(m.base-0.1, m.weights) < least {
			t.Errorf("another base is better than %v", m.base)
		}
	}
}

// TestForestDividesBest checks that the first division of a tree is the one that a plain search
// over all of them finds.
func TestForestDividesBest(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	for range 20 {
		x, y, weight := make([][]float64, 3), make([]float64, 40), make([]float64, 40)
		for i := range x {
			x[i] = make([]float64, len(y))
		}
		for j := range y {
			for i := range x {
				x[i][j] = float64(r.IntN(20))
			}
			y[j] = x[1][j]*x[2][j] + r.NormFloat64()
			weight[j] = 1 / float64(len(y))
		}
		b := boosting{Rounds: 1, Depth: 1, Rate: 1, Lambda: 1, MinRows: 1, Bins: 256}
		f := fitForest(x, y, weight, b)
		score := func(feature int, split float32) float64 {
			var sum, n [2]float64
			for j := range y {
				side := 0
				if float32(x[feature][j]) >= split {
					side = 1
				}
				sum[side] += y[j] - float64(f.base)
				n[side]++
			}
			return sum[0]*sum[0]/(n[0]+1) + sum[1]*sum[1]/(n[1]+1)
		}
		root := f.trees[0][0]
		got := score(root.feature, root.split)
		for i := range x {
			for split := range 20 {
				if s := score(i, float32(split)); s > got*(1+1e-9) {
					t.Errorf("x%d < %d gains %v, the tree's x%d < %v gains %v", i, split, s,
						root.feature, root.split, got)
				}
			}
		}
	}
}

// TestLearners checks that trees learn what a line cannot, and every learner a known machine.
// SAFARI's plain line has no bend, which this machine has.
func TestLearners(t *testing.T) {
	table := machine(rand.New(rand.NewPCG(3, 0)), 8, 300, 0)
	for _, l := range []Learner{Default, Ridge, XGBoost} {
		m := l.train(table, all(table))
		sum := 0.0
		for r := range table.Power {
			miss := m.of(table, r) - table.Power[r]
			sum += miss * miss
		}
		if rms := math.Sqrt(sum / float64(table.Rows())); rms > 3 {
			t.Errorf("%s misses %.2f W of some 180, where 1 W is noise", l.Name, rms)
		}
	}
}

// TestInputsBeyondTheRangeAreClipped checks that an input far beyond the trained range is taken for
// its end, and that no prediction leaves what can be.
func TestInputsBeyondTheRangeAreClipped(t *testing.T) {
	table := machine(rand.New(rand.NewPCG(4, 0)), 6, 200, 0)
	m := Default.train(table, all(table))
	for k := range table.Columns {
		table.Columns[k][0] = 1e12
		table.Columns[k][1] = -1e12
	}
	for r := range 2 {
		if w := m.of(table, r); w < 80 || w > 300 {
			t.Errorf("row %d: %v W", r, w)
		}
	}
}

// TestDefaultRisesWithBusyTime checks that more busy time of any kind never lowers what the default
// predicts.
func TestDefaultRisesWithBusyTime(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 0))
	table := machine(r, 8, 300, 40)
	for i := range table.Power { // more of the kernel's time draws less here
		table.Power[i] -= 8 * table.Columns[1][i]
	}
	m := Default.train(table, all(table))
	values := make([]float64, 3)
	for row := range table.Power {
		table.row(row, values)
		for k := range 2 {
			was := m.predict(values)
			values[k] += 5 * r.Float64()
			if is := m.predict(values); is < was-1e-9 {
				t.Fatalf("%v W, and %v W with more of %s", was, is, table.Inputs[k])
			}
		}
	}
}
