package powermodel

// node is a node of a tree: inner nodes send values below split to the left, and a missing one
// (NaN) where missingLeft says. Numbers have 32 bits, as XGBoost's, so that sums are equal to its.
type node struct {
	feature     int // -1 in a leaf
	split       float32
	left        int // place of the left node; the right one follows it
	missingLeft bool
	value       float32 // what a leaf adds, in W
	cover       float32 // the weight of the rows trained on that came here, in rows
}

// forest predicts the sum of its base and its trees, in W.
type forest struct {
	base  float32
	trees [][]node
}

// predict adds in the order and with the rounding of XGBoost's predictor.
func (f *forest) predict(features []float64) float64 {
	sum := f.base
	for _, t := range f.trees {
		sum += t[leafOf(t, features)].value
	}
	return float64(sum)
}

// leafOf returns the place of the leaf that the features lead to.
func leafOf(tree []node, features []float64) int {
	n := 0
	for tree[n].feature >= 0 {
		n = tree[n].next(features)
	}
	return n
}

// next returns the node below an inner one that the features lead to.
func (n *node) next(features []float64) int {
	x := float32(features[n.feature])
	if x < n.split || (x != x && n.missingLeft) {
		return n.left
	}
	return n.left + 1
}
