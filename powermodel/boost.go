package powermodel

import (
	"math"
	"slices"
	"sort"
)

// Boosting sets the growth of the trees: gradient boosting with squared errors, as in XGBoost
// ("XGBoost: A Scalable Tree Boosting System", KDD 2016, equations 6 and 7).
type Boosting struct {
	Rounds  int
	Depth   int
	Rate    float64 // what a tree adds is scaled by it
	Lambda  float64 // penalty of a leaf's value
	MinRows float64 // the least weight in a leaf, in rows
	Bins    int     // values that an input is rounded to
}

// XGBoostDefaults are XGBoost's own, with which VESTA trains (section 4.3).
var XGBoostDefaults = Boosting{
	Rounds: 100, Depth: 6, Rate: 0.3, Lambda: 1, MinRows: 1, Bins: 256,
}

// node is one of a tree's: inner nodes send values below split to the left.
type node struct {
	feature int // -1 in a leaf
	split   float64
	left    int // the right one follows it
	value   float64
}

type forest struct {
	base  float64
	trees [][]node
}

func (f *forest) predict(features []float64) float64 {
	sum := f.base
	for _, t := range f.trees {
		n := 0
		for t[n].feature >= 0 {
			next := t[n].left
			if features[t[n].feature] >= t[n].split {
				next++
			}
			n = next
		}
		sum += t[n].value
	}
	return sum
}

// grower grows trees on rounded inputs.
type grower struct {
	Boosting
	bins   [][]uint8   // by feature, then by row
	edges  [][]float64 // by feature: the lowest value of each bin but the first
	weight []float64   // by row, 1 on average
	miss   []float64   // by row: what is still missed
	sums   []float64   // scratch, by bin
	counts []float64
}

// fitForest grows trees for what y has beyond its mean. x is by feature, then by row.
func fitForest(x [][]float64, y, weight []float64, b Boosting) *forest {
	g := &grower{
		Boosting: b, weight: make([]float64, len(y)), miss: make([]float64, len(y)),
		sums: make([]float64, b.Bins), counts: make([]float64, b.Bins),
	}
	out := &forest{base: dot(weight, y)}
	for r := range y {
		g.weight[r] = weight[r] * float64(len(y))
		g.miss[r] = y[r] - out.base
	}
	for _, column := range x {
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
		g.grow(&tree, 0, rows, b.Depth)
		out.trees = append(out.trees, tree)
	}
	return out
}

// edgesOf are the values that divide a column into bins of about as many rows.
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

// grow makes node n of the rows, and the nodes below it. It subtracts from miss what the leaves
// add.
func (g *grower) grow(tree *[]node, n int, rows []int, depth int) {
	sum, count := 0.0, 0.0
	for _, r := range rows {
		sum += g.weight[r] * g.miss[r]
		count += g.weight[r]
	}
	feature, bin := -1, 0
	if depth > 0 {
		feature, bin = g.best(rows, sum, count)
	}
	if feature < 0 {
		value := g.Rate * sum / (count + g.Lambda)
		(*tree)[n] = node{feature: -1, value: value}
		for _, r := range rows {
			g.miss[r] -= value
		}
		return
	}
	bins, below := g.bins[feature], 0
	for i, r := range rows { // those of the left side come first
		if int(bins[r]) <= bin {
			rows[i], rows[below] = rows[below], r
			below++
		}
	}
	left := len(*tree)
	(*tree)[n] = node{feature: feature, split: g.edges[feature][bin], left: left}
	*tree = append(*tree, node{}, node{})
	g.grow(tree, left, rows[:below], depth-1)
	g.grow(tree, left+1, rows[below:], depth-1)
}

// best is the division with the highest gain: the last bin of the left side. The feature is -1
// where none gains.
func (g *grower) best(rows []int, sum, count float64) (feature, bin int) {
	feature = -1
	whole := sum * sum / (count + g.Lambda)
	most := 1e-9 * (1 + whole)
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
			gain := s*s/(c+g.Lambda) + (sum-s)*(sum-s)/(count-c+g.Lambda) - whole
			if gain > most && !math.IsNaN(gain) {
				most, feature, bin = gain, f, b
			}
		}
	}
	return feature, bin
}
