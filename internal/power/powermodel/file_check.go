package powermodel

import (
	"fmt"
	"math"
	"slices"
)

// model checks what a file says, and makes its model. Tiers bounds the models: this one and its
// simpler ones.
func (f *file) model(tiers int) (*Model, error) {
	if tiers == 0 {
		return nil, fmt.Errorf("more than %d models", maxTiers)
	}
	if err := f.checkNames(); err != nil {
		return nil, err
	}
	p := &formula{features: &features{most: f.MostBusy}, low: math.Inf(-1), high: math.Inf(1)}
	if f.Power != nil {
		p.low, p.high = f.Power[0], f.Power[1]
		if !(p.low >= 0 && p.low <= p.high && p.high <= maxWatts) {
			return nil, fmt.Errorf("power of %v to %v W", p.low, p.high)
		}
	}
	m := &Model{Learner: f.Learner, Tier: f.Tier, Provenance: f.Provenance, Interval: f.Interval,
		Programs: f.Programs, formula: p}
	if err := f.inputs(m); err != nil {
		return nil, err
	}
	if err := f.ratios(p.features, len(m.Inputs)); err != nil {
		return nil, err
	}
	if err := f.Interval.check(); err != nil {
		return nil, err
	}
	if err := f.terms(p, len(m.Inputs)); err != nil {
		return nil, err
	}
	if f.Simpler != nil {
		var err error
		if m.Simpler, err = f.Simpler.model(tiers - 1); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (f *file) checkNames() error {
	p := f.Provenance
	if len(p.Programs) > maxPrograms || len(f.Programs) > maxPrograms {
		return fmt.Errorf("more than %d programs", maxPrograms)
	}
	names := []string{f.Learner, f.Tier, p.CPUModel, p.Kernel, p.JVM, p.Meter, p.Date}
	names = append(names, p.Programs...)
	for _, e := range f.Programs {
		names = append(names, e.Program)
		if !(math.Abs(e.Total) < maxWatts && e.Held >= 0 && e.Held <= 1) {
			return fmt.Errorf("program %q: error %v, %v of it held", e.Program, e.Total, e.Held)
		}
	}
	for _, name := range names {
		if len(name) > maxName {
			return fmt.Errorf("a name of more than %d bytes", maxName)
		}
	}
	if p.CPUs < 0 || p.Intervals < 0 {
		return fmt.Errorf("%d CPUs, %d intervals", p.CPUs, p.Intervals)
	}
	return nil
}

// inputs sets the model's inputs and its formula's features.
func (f *file) inputs(m *Model) error {
	if len(f.Inputs) == 0 || len(f.Inputs) > maxColumns {
		return fmt.Errorf("%d inputs, not 1 to %d", len(f.Inputs), maxColumns)
	}
	seen, to := map[string]bool{}, m.formula.features
	for k, in := range f.Inputs {
		if in.Name == "" || len(in.Name) > maxName || seen[in.Name] {
			return fmt.Errorf("input %d has no name of its own", k)
		}
		seen[in.Name] = true
		if in.Busy {
			to.busy = append(to.busy, k)
		}
		if in.Range == nil {
			m.Inputs = append(m.Inputs, Input{in.Name, math.NaN(), math.NaN()})
			continue
		}
		low, high := in.Range[0], in.Range[1]
		if width := high - low; !(width > 0) || math.IsInf(width, 0) {
			return fmt.Errorf("input %q has the range %v to %v", in.Name, low, high)
		}
		m.Inputs = append(m.Inputs, Input{in.Name, low, high})
		to.columns = append(to.columns, k)
		to.low, to.high = append(to.low, low), append(to.high, high)
	}
	if len(to.busy) > 0 && !(to.most > 0 && to.most < maxBusy) {
		return fmt.Errorf("a busy share of %v at most", to.most)
	}
	return nil
}

func (f *file) ratios(to *features, inputs int) error {
	for i, q := range f.Ratios {
		if q.Name == "" || len(q.Name) > maxName || len(q.Of) == 0 || i == maxColumns {
			return fmt.Errorf("ratio %d has no name, or nothing above the line", i)
		}
		for _, k := range slices.Concat(q.Of, q.By) {
			if k < 0 || k >= inputs {
				return fmt.Errorf("ratio %q has input %d of %d", q.Name, k, inputs)
			}
		}
		low, high := q.Range[0], q.Range[1]
		if width := high - low; !(width > 0) || math.IsInf(width, 0) {
			return fmt.Errorf("ratio %q has the range %v to %v", q.Name, low, high)
		}
		to.ratios = append(to.ratios, ratio{q.Name, q.Of, q.By, low, high})
	}
	if to.ratios != nil && (len(to.busy) > 0 || f.Trees != nil) {
		return fmt.Errorf("ratios beside busy time or trees")
	}
	return nil
}

// maxBusy bounds a busy share: the percents of very many CPUs.
const maxBusy = 1e9

// minFreedom bounds the degrees of freedom from below: crossvalidation has a program fewer than the
// least number of programs.
const minFreedom = 4

func (i *Interval) check() error {
	if i == nil {
		return nil
	}
	if !(i.Confidence > 0 && i.Confidence < 1 && i.Scale >= 0 && i.Scale < maxWatts &&
		i.HalfWidth >= 0 && i.Freedom >= minFreedom) ||
		i.Programs < minPrograms || i.Programs > maxPrograms {
		return fmt.Errorf("an interval of %v by %d programs with the scale %v", i.Confidence,
			i.Programs, i.Scale)
	}
	return nil
}

// terms sets the formula's line and trees.
func (f *file) terms(p *formula, inputs int) error {
	if f.Line == nil && f.Trees == nil {
		return fmt.Errorf("neither a line nor trees")
	}
	if l := f.Line; l != nil {
		if n := p.features.count(); len(l.Weights) != n || len(l.Means) != n {
			return fmt.Errorf("%d weights and %d means for %d features", len(l.Weights),
				len(l.Means), n)
		}
		for _, w := range slices.Concat([]float64{l.Base}, l.Weights, l.Means) {
			if !(math.Abs(w) <= maxWatts) {
				return fmt.Errorf("a weight of %v W", w)
			}
		}
		p.line = &ridge{l.Base, l.Weights, l.Means}
	}
	if f.Trees == nil {
		return nil
	}
	most := p.features.count()
	switch f.Trees.Of {
	case "inputs":
		p.raw, most = true, inputs
	case "features":
	default:
		return fmt.Errorf("trees of %q", f.Trees.Of)
	}
	var err error
	p.forest, err = f.Trees.forest(most)
	return err
}

// forest checks the trees and returns them: each node below the root comes after its only parent.
func (f *fileTrees) forest(features int) (*forest, error) {
	if len(f.Trees) > maxTrees || !(math.Abs(float64(f.Base)) <= maxWatts) {
		return nil, fmt.Errorf("%d trees on %v W", len(f.Trees), f.Base)
	}
	out, nodes := &forest{base: f.Base}, 0
	for i, t := range f.Trees {
		n := len(t.Feature)
		nodes += n
		if n == 0 || nodes > maxNodes || len(t.Split) != n || len(t.Left) != n ||
			len(t.Value) != n || len(t.Cover) != n {
			return nil, fmt.Errorf("tree %d has %d nodes", i, n)
		}
		tree := make([]node, n)
		for j := range tree {
			tree[j] = node{feature: t.Feature[j], split: t.Split[j], left: t.Left[j],
				value: t.Value[j], cover: t.Cover[j]}
		}
		for _, j := range t.MissingLeft {
			if j < 0 || j >= n {
				return nil, fmt.Errorf("tree %d has no node %d", i, j)
			}
			tree[j].missingLeft = true
		}
		if err := checkTree(tree, features); err != nil {
			return nil, fmt.Errorf("tree %d: %w", i, err)
		}
		out.trees = append(out.trees, tree)
	}
	return out, nil
}

// maxDepth bounds a tree's depth: an explanation needs memory for each level.
const maxDepth = 64

func checkTree(tree []node, features int) error {
	depth := make([]int, len(tree)) // from 1; 0 where no node above was seen
	depth[0] = 1
	for j, n := range tree {
		switch {
		case depth[j] == 0:
			return fmt.Errorf("nothing leads to node %d", j)
		case depth[j] > maxDepth:
			return fmt.Errorf("deeper than %d", maxDepth)
		case n.feature < -1 || n.feature >= features:
			return fmt.Errorf("node %d has feature %d of %d", j, n.feature, features)
		case !(math.Abs(float64(n.value)) <= maxWatts) || !(n.cover >= 0):
			return fmt.Errorf("node %d adds %v W to %v rows", j, n.value, n.cover)
		case n.feature < 0:
			continue
		case n.left <= j || n.left+1 >= len(tree) || depth[n.left] > 0 || depth[n.left+1] > 0:
			return fmt.Errorf("node %d leads to %d", j, n.left)
		}
		depth[n.left], depth[n.left+1] = depth[j]+1, depth[j]+1
	}
	return nil
}
