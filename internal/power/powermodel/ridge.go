package powermodel

import "math"

// ridge is a line over the features: base and the sum of the weighted features.
type ridge struct {
	base    float64 // W
	weights []float64
	mean    []float64 // means of the features trained on
}

// maxSweeps bounds the coordinate descent; it ends when no weight moves by more than settledWeight.
const (
	maxSweeps     = 2000
	settledWeight = 1e-5 // W over an input's range
)

// fitRidge minimises the weighted squares of what is missed plus penalty times the squares of the
// weights, all weights being zero or more, by coordinate descent: work never lowers the power. The
// base is not penalised. x is by feature, then by row; the weights of the rows sum up to one.
func fitRidge(x [][]float64, y, weight []float64, penalty float64) *ridge {
	return descend(x, y, weight, penalty, 0)
}

// fitLeastSquares fits like fitRidge, with weights of any sign.
func fitLeastSquares(x [][]float64, y, weight []float64, penalty float64) *ridge {
	return descend(x, y, weight, penalty, math.Inf(-1))
}

func descend(x [][]float64, y, weight []float64, penalty, least float64) *ridge {
	n := len(x)
	meanY, mean := dot(weight, y), make([]float64, n)
	for i := range x {
		mean[i] = dot(weight, x[i])
	}
	gram, target := make([][]float64, n), make([]float64, n)
	for i := range x {
		gram[i] = make([]float64, n)
		for j := 0; j <= i; j++ {
			sum := 0.0
			for r, w := range weight {
				sum += w * (x[i][r] - mean[i]) * (x[j][r] - mean[j])
			}
			gram[i][j], gram[j][i] = sum, sum
		}
		for r, w := range weight {
			target[i] += w * (x[i][r] - mean[i]) * (y[r] - meanY)
		}
	}
	out := &ridge{weights: make([]float64, n), mean: mean}
	for range maxSweeps {
		moved := 0.0
		for i := range out.weights {
			rest := target[i]
			for j, w := range out.weights {
				if j != i {
					rest -= gram[i][j] * w
				}
			}
			w := max(rest/(gram[i][i]+penalty), least)
			moved = max(moved, w-out.weights[i], out.weights[i]-w)
			out.weights[i] = w
		}
		if moved < settledWeight {
			break
		}
	}
	out.base = meanY - dot(out.weights, mean)
	return out
}

func (r *ridge) predict(features []float64) float64 {
	return r.base + dot(r.weights, features)
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
