package powermodel

import (
	"math"
	"slices"
	"sort"
)

// boosting sets the growth of the trees: gradient boosting with squared errors, as in XGBoost
// ("XGBoost: A Scalable Tree Boosting System", KDD 2016, equations 6 and 7).
type boosting struct {
	Rounds  int
	Depth   int
	Rate    float64 // factor of what a tree adds
	Lambda  float64 // penalty of a leaf's value
	MinRows float64 // the least weight in a leaf, in rows
	Bins    int     // number of values that an input is rounded to
	// Rising says of each feature whether a tree may only rise with it, as with XGBoost's
	// monotone_constraints; nil: a tree may fall with any.
	Rising []bool
}

// xgboostDefaults are XGBoost's own settings, with which VESTA trains (section 4.3).
var xgboostDefaults = boosting{
	Rounds: 100, Depth: 6, Rate: 0.3, Lambda: 1, MinRows: 1, Bins: 256,
}

// grower grows trees on rounded inputs.
type grower struct {
	boosting
	bins   [][]uint8   // by feature, then by row
	edges  [][]float64 // by feature: the lowest value of each bin but the first one
	weight []float64   // by row, 1 on average
	miss   []float64   // error of the trees made so far, by row
	sums   []float64   // scratch, by bin
	counts []float64
}

// fitForest grows trees for what y has beyond its mean. x is by feature, then by row.
func fitForest(x [][]float64, y, weight []float64, b boosting) *forest {
	g := &grower{
		boosting: b, weight: make([]float64, len(y)), miss: make([]float64, len(y)),
		sums: make([]float64, b.Bins), counts: make([]float64, b.Bins),
	}
	out := &forest{base: float32(dot(weight, y))}
	for r := range y {
		g.weight[r] = weight[r] * float64(len(y))
		g.miss[r] = y[r] - float64(out.base)
	}
	for _, column := range x {
		column = rounded(column)
		edges := edgesOf(column, b.Bins)
		bins := make([]uint8, len(column))
		for r, v := range column {
			bins[r] = uint8(sort.Search(len(edges), func(i int) bool { return edges[i] > v }))
		}
		g.edges, g.bins = append(g.edges, edges), append(g.bins, bins)
	}
	rows := make([]int, len(y))
	for range b.Rounds {
		for r := range rows {
			rows[r] = r
		}
		tree := []node{{}}
		g.grow(&tree, 0, rows, span{math.Inf(-1), math.Inf(1)}, b.Depth)
		out.trees = append(out.trees, tree)
	}
	return out
}

// rounded returns the values in the 32 bits in which trees compare them.
func rounded(column []float64) []float64 {
	out := make([]float64, len(column))
	for i, v := range column {
		out[i] = float64(float32(v))
	}
	return out
}

// edgesOf returns the values that divide a column into bins of about as many rows.
func edgesOf(column []float64, bins int) (edges []float64) {
	sorted := slices.Clone(column)
	slices.Sort(sorted)
	for i := 1; i < bins; i++ {
		v := sorted[i*len(sorted)/bins]
		if v > sorted[0] && (len(edges) == 0 || v > edges[len(edges)-1]) {
			edges = append(edges, v)
		}
	}
	return edges
}

// span bounds a leaf's value before it is scaled by the rate.
type span struct{ low, high float64 }

func (s span) value(sum, count, lambda float64) float64 {
	return min(max(sum/(count+lambda), s.low), s.high)
}

// gain returns by how much a leaf of this value lowers the weighted squares of what is missed, its
// penalty lambda times the value's square included.
func gain(value, sum, count, lambda float64) float64 {
	return 2*sum*value - (count+lambda)*value*value
}

// grow makes node n of the rows, and the nodes below it, with values within a span. It subtracts
// from miss what the leaves add.
func (g *grower) grow(tree *[]node, n int, rows []int, within span, depth int) {
	sum, count := 0.0, 0.0
	for _, r := range rows {
		sum += g.weight[r] * g.miss[r]
		count += g.weight[r]
	}
	feature, bin, middle := -1, 0, 0.0
	if depth > 0 {
		feature, bin, middle = g.best(rows, sum, count, within)
	}
	if feature < 0 {
		value := float32(g.Rate * within.value(sum, count, g.Lambda))
		(*tree)[n] = node{feature: -1, value: value, cover: float32(count)}
		for _, r := range rows {
			g.miss[r] -= float64(value)
		}
		return
	}
	bins, split := g.bins[feature], 0
	for i, r := range rows { // the rows of the left side come first
		if int(bins[r]) <= bin {
			rows[i], rows[split] = rows[split], r
			split++
		}
	}
	left := len(*tree)
	(*tree)[n] = node{feature: feature, split: float32(g.edges[feature][bin]), left: left,
		cover: float32(count)}
	*tree = append(*tree, node{}, node{})
	below, above := within, within
	if g.rises(feature) {
		below.high, above.low = middle, middle
	}
	g.grow(tree, left, rows[:split], below, depth-1)
	g.grow(tree, left+1, rows[split:], above, depth-1)
}

func (g *grower) rises(feature int) bool { return g.Rising != nil && g.Rising[feature] }

// best returns the division with the highest gain: the feature, the last bin of the left side, and
// the middle of the two sides' values. The feature is -1 where none gains.
func (g *grower) best(
	rows []int, sum, count float64, within span,
) (feature, bin int, middle float64) {
	feature = -1
	whole := gain(within.value(sum, count, g.Lambda), sum, count, g.Lambda)
	most := 1e-9 * (1 + math.Abs(whole))
	for f, bins := range g.bins {
		last := len(g.edges[f])
		if last == 0 {
			continue
		}
		clear(g.sums[:last+1])
		clear(g.counts[:last+1])
		for _, r := range rows {
			b := bins[r]
			g.sums[b] += g.weight[r] * g.miss[r]
			g.counts[b] += g.weight[r]
		}
		s, c := 0.0, 0.0
		for b := range last {
			s += g.sums[b]
			c += g.counts[b]
			if c < g.MinRows || count-c < g.MinRows {
				continue
			}
			left := within.value(s, c, g.Lambda)
			right := within.value(sum-s, count-c, g.Lambda)
			if g.rises(f) && left > right {
				continue
			}
			more := gain(left, s, c, g.Lambda) + gain(right, sum-s, count-c, g.Lambda) - whole
			if more > most && !math.IsNaN(more) {
				most, feature, bin, middle = more, f, b, (left+right)/2
			}
		}
	}
	return feature, bin, middle
}
