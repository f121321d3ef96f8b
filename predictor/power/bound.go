package power

import "math"

const (
	minSize    = 0.2  // least size of a part, relative to the model's
	boundError = 1e-9 // tolerance by which a part may be below minSize
)

// bound keeps the parts at minSize or above. A processor that draws much less than the model draws
// less in all parts. The prior is as wide above as below, so it would put the least certain part
// below nothing. bound takes from other parts what it adds to one, as far as they were learned as a
// sum: of all sizes within the bounds it takes those that are nearest, by the covariance, to what
// was learned. Some parts are then at minSize, each pushed up to it; it tries which.
func (f *Fit) bound() {
	least := math.Inf(1)
	for i := range partFlat {
		least = min(least, f.size[i])
	}
	if least >= minSize {
		return
	}
	for held := 1; held < 1<<partFlat; held++ {
		if z, ok := f.holding(held); ok {
			f.size = z
			return
		}
	}
	for i := range partFlat { // the covariance is too uneven to show which parts to hold
		f.size[i] = max(f.size[i], minSize)
	}
}

// holding finds the sizes with a set of parts, by bits, pushed to minSize. They are right if no
// part is pushed down to it and no other one is below it (the conditions of Karush, Kuhn and
// Tucker).
func (f *Fit) holding(held int) (z [partCount]float64, ok bool) {
	var rows [partFlat][partFlat + 1]float64 // a part's covariances, and the distance to push it
	for i := range rows {
		rows[i][i] = 1
		if held>>i&1 == 0 {
			continue
		}
		for j := range rows {
			if held>>j&1 == 1 {
				rows[i][j] = f.cov[i][j]
			}
		}
		rows[i][partFlat] = minSize - f.size[i]
	}
	for k := range rows { // elimination; a covariance has positive pivots
		for r := range rows {
			if !(rows[k][k] > 0) {
				return z, false
			}
			if by := rows[r][k] / rows[k][k]; r != k && by != 0 {
				for c := k; c < len(rows[k]); c++ {
					rows[r][c] -= float64(by * rows[k][c])
				}
			}
		}
	}
	z = f.size
	for i := range rows {
		push := rows[i][partFlat] / rows[i][i]
		if push < 0 {
			return z, false
		}
		for j := range z {
			z[j] += float64(f.cov[i][j] * push)
		}
	}
	for i := range partFlat {
		if !(z[i] >= minSize-boundError) {
			return z, false
		}
		z[i] = max(z[i], minSize)
	}
	return z, true
}
