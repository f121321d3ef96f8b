package powermodel

// explanation divides a prediction among its inputs: Power is Base, the mean over the trained
// intervals, and the sum of Parts, in W. It is the model's sum before it is clamped to the power
// that was trained on.
type explanation struct {
	Power, Base float64
	Parts       []float64 // in the order of Model.parts
}

// parts returns the names of what an explanation divides a prediction among: the inputs, and for a
// model with a line the busy time of all kinds; for SAFARI's, its five inputs.
func (m *Model) parts() (names []string) {
	for _, q := range m.formula.features.ratios {
		names = append(names, q.name)
	}
	if names != nil {
		return names
	}
	for _, in := range m.Inputs {
		names = append(names, in.Name)
	}
	if m.hasBusy() {
		names = append(names, busyTime)
	}
	return names
}

// busyTime names the part of the busy time of all kinds.
const busyTime = "busy time"

func (m *Model) hasBusy() bool { return !m.formula.raw && len(m.formula.features.busy) > 0 }

// explain returns the Shapley values of a prediction: of the line's weights with the trained means,
// and of the trees by TreeSHAP where the rows that came to each node are the distribution
// (Lundberg, Erion, Lee: "Consistent Individualized Feature Attribution for Tree Ensembles", 2018,
// algorithm 2), as XGBoost's pred_contribs.
func (m *Model) explain(values []float64) explanation {
	p := m.formula
	e := explanation{Parts: make([]float64, len(m.parts()))}
	x := make([]float64, p.features.count())
	p.features.of(values, x)
	byFeature := make([]float64, len(x))
	if l := p.line; l != nil {
		e.Base = l.predict(l.mean)
		for i := range x {
			byFeature[i] = l.weights[i] * (x[i] - l.mean[i])
		}
	}
	switch {
	case p.forest == nil:
	case p.raw:
		e.Base += p.forest.explain(values, e.Parts)
	default:
		e.Base += p.forest.explain(x, byFeature)
	}
	for i, v := range byFeature {
		if p.raw {
			break // the trees' parts are the inputs' already
		}
		e.Parts[p.features.part(i, len(m.Inputs))] += v
	}
	e.Power = e.Base
	for _, v := range e.Parts {
		e.Power += v
	}
	return e
}

// part returns the place in an explanation's Parts of what a feature is made from.
func (f *features) part(feature, inputs int) int {
	switch {
	case f.ratios != nil:
		return feature
	case feature < len(f.columns):
		return f.columns[feature]
	}
	return inputs // busy time
}

// explain adds the features' parts in the forest's prediction, and returns its mean.
func (f *forest) explain(features, parts []float64) (base float64) {
	base = float64(f.base)
	for _, t := range f.trees {
		base += meanValues(t)[0]
		s := shap{t, features, parts}
		s.descend(0, nil, 1, 1, -1)
	}
	return base
}

// meanValues returns, by node, the mean of the leaves below, weighted with their covers.
func meanValues(t []node) []float64 {
	mean := make([]float64, len(t))
	for i := len(t) - 1; i >= 0; i-- { // nodes below come later
		if n := &t[i]; n.feature < 0 {
			mean[i] = float64(n.value)
		} else {
			left := leftShare(t, i)
			mean[i] = left*mean[n.left] + (1-left)*mean[n.left+1]
		}
	}
	return mean
}

// leftShare returns the part of a node's cover that went to the left.
func leftShare(t []node, i int) float64 {
	left, right := float64(t[t[i].left].cover), float64(t[t[i].left+1].cover)
	if left+right == 0 {
		return 0.5
	}
	return left / (left + right)
}

// shap walks one tree for one interval.
type shap struct {
	tree            []node
	features, parts []float64
}

// step is a feature on the way to a node: zero is the share of the rows that go this way when the
// feature is unknown, one is 1 if the interval goes this way and 0 if not. Weight belongs to the
// subsets of the steps that have as many known features as the step's place says.
type step struct {
	feature           int
	zero, one, weight float64
}

func (s *shap) descend(n int, above []step, zero, one float64, feature int) {
	way := extend(above, zero, one, feature)
	x := &s.tree[n]
	if x.feature < 0 {
		for i := 1; i < len(way); i++ {
			s.parts[way[i].feature] += unwoundSum(way, i) * (way[i].one - way[i].zero) *
				float64(x.value)
		}
		return
	}
	zero, one = 1, 1
	for i := 1; i < len(way); i++ {
		if way[i].feature == x.feature {
			zero, one = way[i].zero, way[i].one
			way = unwind(way, i)
			break
		}
	}
	hot, left := x.next(s.features), leftShare(s.tree, n)
	for side, share := range []float64{left, 1 - left} {
		child, taken := x.left+side, 0.0
		if child == hot {
			taken = one
		}
		if zero*share > 0 || taken > 0 {
			s.descend(child, way, zero*share, taken, x.feature)
		}
	}
}

// extend returns the way with one more step.
func extend(above []step, zero, one float64, feature int) []step {
	n := len(above)
	way := append(append(make([]step, 0, n+1), above...), step{feature, zero, one, 0})
	if n == 0 {
		way[0].weight = 1
	}
	for i := n - 1; i >= 0; i-- {
		way[i+1].weight += one * way[i].weight * float64(i+1) / float64(n+1)
		way[i].weight = zero * way[i].weight * float64(n-i) / float64(n+1)
	}
	return way
}

// unwind returns the way as if step i had not been taken.
func unwind(way []step, i int) []step {
	n := len(way) - 1
	out := append([]step(nil), way...)
	zero, one, next := way[i].zero, way[i].one, way[n].weight
	for j := n - 1; j >= 0; j-- {
		if one != 0 {
			was := out[j].weight
			out[j].weight = next * float64(n+1) / (float64(j+1) * one)
			next = was - out[j].weight*zero*float64(n-j)/float64(n+1)
		} else {
			out[j].weight = out[j].weight * float64(n+1) / (zero * float64(n-j))
		}
	}
	for j := i; j < n; j++ {
		out[j].feature, out[j].zero, out[j].one = way[j+1].feature, way[j+1].zero, way[j+1].one
	}
	return out[:n]
}

// unwoundSum returns the sum of the weights of the way without step i.
func unwoundSum(way []step, i int) (sum float64) {
	for _, s := range unwind(way, i) {
		sum += s.weight
	}
	return sum
}
