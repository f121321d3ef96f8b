package export

import (
	"cmp"
	"slices"

	"github.com/ebb-energy/ebb/energy/profile"
	"github.com/ebb-energy/ebb/internal/printable"
)

// node is a frame of a flame graph with all that it called.
type node struct {
	Name     string  `json:"n"`
	Kind     string  `json:"k,omitempty"`
	UJ       int64   `json:"e"` // energy of it and all it called, uJ
	NS       int64   `json:"t"` // CPU time likewise
	Samples  int     `json:"s"`
	Children []*node `json:"c,omitempty"`

	nj     int64
	byName map[string]*node
}

func (n *node) child(name, kind string) *node {
	c := n.byName[name]
	if c == nil {
		c = &node{Name: name, Kind: kind}
		if n.byName == nil {
			n.byName = map[string]*node{}
		}
		n.byName[name] = c
		n.Children = append(n.Children, c)
	}
	return c
}

func (n *node) add(nj, ns int64, samples int) {
	n.nj += nj
	n.NS += ns
	n.Samples += samples
}

// grow makes the tree of all stacks: the root, phases, threads by name, frames from the outermost. Threads of one name are
// one.
func grow(p *profile.Profile, rule int) *node {
	root := &node{Name: "all"}
	times := p.StackTimes()
	for i := range p.Stacks {
		s := &p.Stacks[i]
		t := &p.Threads[s.Thread]
		e, ns := s.EnergyNJ[rule], times[i]
		at := root
		at.add(e, ns, s.Samples)
		step := func(name, kind string) {
			at = at.child(printable.Name(name), printable.Name(kind))
			at.add(e, ns, s.Samples)
		}
		if t.Phase != profile.Application {
			step(profile.PhaseUnit(t.Phase), "phase")
		}
		step(t.Comm, "thread")
		for _, f := range slices.Backward(s.Frames) {
			step(p.Frames[f].Name, p.Frames[f].Kind)
		}
	}
	root.finish(root.nj / smallest)
	return root
}

// smallest is the share of the whole below which a frame is too narrow to be drawn.
const smallest = 5000

// finish orders the children by name, as flame graphs have them, and drops what can not be seen.
func (n *node) finish(least int64) {
	n.UJ = (n.nj + 500) / 1000
	n.Children = slices.DeleteFunc(n.Children, func(c *node) bool { return c.nj < least })
	slices.SortFunc(n.Children, func(a, b *node) int { return cmp.Compare(a.Name, b.Name) })
	for _, c := range n.Children {
		c.finish(least)
	}
}
