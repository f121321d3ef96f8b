package vesta

import (
	"cmp"
	"math"
	"slices"

	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// greedyInputs is the number of counters of the paper's model by counters.
const greedyInputs = 12

// line is a linear function of some columns of a table.
type line struct {
	columns []int
	base    float64
	slopes  []float64
}

// correlation returns Pearson's coefficient of two series over rows; 0 where one does not vary. It
// leaves out unknown values.
func correlation(x, y []float64, rows []int) float64 {
	var n, sx, sy, xx, yy, xy float64
	for _, r := range rows {
		if a, b := x[r], y[r]; finite(a) && finite(b) {
			n, sx, sy = n+1, sx+a, sy+b
		}
	}
	for _, r := range rows {
		if a, b := x[r]-sx/n, y[r]-sy/n; finite(a) && finite(b) {
			xx, yy, xy = xx+a*a, yy+b*b, xy+a*b
		}
	}
	if xx <= 0 || yy <= 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// choose returns the columns with the highest correlation with the power over rows, at most
// greedyInputs.
func choose(t *powermodel.Table, rows []int) (columns []int) {
	by := make([]float64, len(t.Inputs))
	for k := range t.Inputs {
		if by[k] = math.Abs(correlation(t.Columns[k], t.Power, rows)); by[k] > 0 {
			columns = append(columns, k)
		}
	}
	slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(by[b], by[a]) })
	return columns[:min(len(columns), greedyInputs)]
}

// fitGreedy fits least squares to the columns that choose returns. An unknown value is the column's
// mean.
func fitGreedy(t *powermodel.Table, rows []int) *line {
	l := &line{columns: choose(t, rows)}
	n := len(l.columns)
	mean, size := make([]float64, n), make([]float64, n)
	for i, k := range l.columns {
		mean[i], size[i] = meanAndSize(t.Columns[k], rows)
	}
	power, _ := meanAndSize(t.Power, rows)
	a, x := make([][]float64, n), make([]float64, n)
	for i := range a {
		a[i] = make([]float64, n+1)
	}
	for _, r := range rows {
		for i, k := range l.columns {
			if x[i] = (t.Columns[k][r] - mean[i]) / size[i]; !finite(x[i]) {
				x[i] = 0
			}
		}
		for i := range x {
			for j := range x {
				a[i][j] += x[i] * x[j]
			}
			a[i][n] += x[i] * (t.Power[r] - power)
		}
	}
	for i := range a {
		a[i][i] += 1e-9 * float64(len(rows)) // decides between columns with the same values
	}
	l.slopes, l.base = solve(a), power
	for i := range l.slopes {
		l.slopes[i] /= size[i]
		l.base -= l.slopes[i] * mean[i]
	}
	return l
}

// of returns the line's power of a row. An unknown value counts as the column's mean.
func (l *line) of(t *powermodel.Table, r int, means []float64) float64 {
	w := l.base
	for i, k := range l.columns {
		v := t.Columns[k][r]
		if !finite(v) {
			v = means[i]
		}
		w += l.slopes[i] * v
	}
	return w
}

// meanAndSize returns a series' mean and standard deviation over rows, of the known values.
func meanAndSize(x []float64, rows []int) (mean, size float64) {
	n := 0.0
	for _, r := range rows {
		if finite(x[r]) {
			mean, n = mean+x[r], n+1
		}
	}
	mean /= max(n, 1)
	for _, r := range rows {
		if finite(x[r]) {
			size += (x[r] - mean) * (x[r] - mean)
		}
	}
	return mean, math.Sqrt(size / max(n, 1))
}

// solve returns the solution of a symmetric, positive definite system, whose right side is the last
// column. It destroys a.
func solve(a [][]float64) []float64 {
	n := len(a)
	for k := range n {
		for i := k + 1; i < n; i++ {
			f := a[i][k] / a[k][k]
			for j := k; j <= n; j++ {
				a[i][j] -= f * a[k][j]
			}
		}
	}
	x := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		x[i] = a[i][n]
		for j := i + 1; j < n; j++ {
			x[i] -= a[i][j] * x[j]
		}
		x[i] /= a[i][i]
	}
	return x
}
