package powermodel

// TreeNode is a node of one of a model's trees, in terms of the inputs. The node after Left is the
// right side.
type TreeNode struct {
	Part  string  // part whose value decides; "" in a leaf
	Split float64 // values below go to the left
	Left  int
	Value float64 // W: in a leaf what it adds, in an inner node the mean of the leaves below
	Cover float64 // number of rows trained on that came here
}

// Trees returns the number of the model's trees.
func (m *Model) Trees() int {
	if m.formula.forest == nil {
		return 0
	}
	return len(m.formula.forest.trees)
}

// Tree returns the nodes of a tree, the root first.
func (m *Model) Tree(i int) (out []TreeNode) {
	t := m.formula.forest.trees[i]
	mean := meanValues(t)
	for j, n := range t {
		node := TreeNode{Value: mean[j], Cover: float64(n.cover)}
		if n.feature >= 0 {
			node.Left = n.left
			node.Part, node.Split = m.condition(n.feature, float64(n.split))
		}
		out = append(out, node)
	}
	return out
}

// condition returns a feature's split in terms of what it was made from.
func (m *Model) condition(feature int, split float64) (part string, at float64) {
	f := m.formula.features
	switch i := feature - len(f.columns); {
	case m.formula.raw:
		return m.Inputs[feature].Name, split
	case i < 0:
		return m.Inputs[f.columns[feature]].Name,
			f.low[feature] + split*(f.high[feature]-f.low[feature])
	case i == 0:
		return busyTime, split * f.most
	default:
		return busyTime, split * levels[i-1] * f.most
	}
}

// Leaf returns the node of a tree in which an interval ends.
func (m *Model) Leaf(tree int, values []float64) int {
	if !m.formula.raw {
		x := make([]float64, m.formula.features.count())
		m.formula.features.of(values, x)
		values = x
	}
	return leafOf(m.formula.forest.trees[tree], values)
}
