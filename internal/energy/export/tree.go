package export

import (
	"cmp"
	"slices"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// node is a frame of a flame graph with all that it called.
type node struct {
	Name     string  `json:"n"`
	Kind     string  `json:"k,omitempty"`
	UJ       int64   `json:"e"` // energy of the node and all it called, uJ
	NS       int64   `json:"t"` // CPU time of the node and all it called, ns
	Samples  int     `json:"s"`
	Children []*node `json:"c,omitempty"`

	nj     int64
	byName map[string]*node
}

const (
	// maxGrown is the number of nodes that are made, starting with the stacks with the most energy.
	// Later nodes go to their caller's "(other)".
	maxGrown = 200_000
	// maxBoxes is the number of nodes that are drawn: those with the most energy.
	maxBoxes = 20_000
	// smallest is the share of the whole below which a frame is too narrow to be drawn: 0.05 % are
	// half a pixel.
	smallest = 2000
	// maxShown is the number of characters of a name on the page.
	maxShown = 120
	other    = "(other)"
)

// tree is a flame graph that grows.
type tree struct {
	root  *node
	grown int
}

// child returns the node of a name that n called, or "(other)" where there is no room for another
// node.
func (t *tree) child(n *node, name, kind string) *node {
	c := n.byName[name]
	if c != nil {
		return c
	}
	if t.grown >= maxGrown && name != other {
		if c = n.byName[other]; c != nil {
			return c
		}
		name, kind = other, "other"
	}
	t.grown++
	c = &node{Name: short(name), Kind: kind}
	if n.byName == nil {
		n.byName = map[string]*node{}
	}
	n.byName[name] = c
	n.Children = append(n.Children, c)
	return c
}

// short shortens a name for the page.
func short(name string) string {
	if len(name) <= maxShown {
		return name
	}
	for i := range name {
		if i >= maxShown-3 {
			return name[:i] + "…"
		}
	}
	return name
}

func (n *node) add(nj, ns int64, samples int) {
	n.nj += nj
	n.NS += ns
	n.Samples += samples
}

// grow makes the tree of all stacks: the root, phases, threads by name, frames from the outermost.
// Threads of one name share a node.
func grow(p *profile.Profile, rule int) *node {
	t := &tree{root: &node{Name: "all"}, grown: 1}
	times := p.StackTimes()
	order := make([]int, len(p.Stacks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order,
		func(a, b int) int {
			return cmp.Compare(p.Stacks[b].EnergyNJ[rule],
				p.Stacks[a].EnergyNJ[rule])
		})
	for _, i := range order {
		s := &p.Stacks[i]
		th := &p.Threads[s.Thread]
		e, ns := s.EnergyNJ[rule], times[i]
		at := t.root
		at.add(e, ns, s.Samples)
		step := func(name, kind string) bool {
			at = t.child(at, printable.Name(name), printable.Name(kind))
			at.add(e, ns, s.Samples)
			return at.Kind != "other"
		}
		if th.Phase != profile.Application && !step(profile.PhaseUnit(th.Phase), "phase") ||
			!step(p.Ran(s), "thread") {
			continue
		}
		for _, f := range slices.Backward(s.Frames) {
			if !step(p.Frames[f].Name, p.Frames[f].Kind) {
				break
			}
		}
	}
	least := max(t.root.nj/smallest, 1)
	t.root.finish(max(least, t.root.crowded(least)))
	return t.root
}

// crowded returns the least energy that a node needs so that at most maxBoxes are drawn; 0 where
// there are not more.
func (n *node) crowded(least int64) int64 {
	var all []int64
	var walk func(*node)
	walk = func(n *node) {
		for _, c := range n.Children {
			if c.nj >= least {
				all = append(all, c.nj)
				walk(c)
			}
		}
	}
	walk(n)
	if len(all) <= maxBoxes {
		return 0
	}
	slices.Sort(all)
	return all[len(all)-maxBoxes-1] + 1
}

// finish orders the children by name, as flame graphs have them. Those that are too narrow to be
// drawn are joined where possible.
func (n *node) finish(least int64) {
	n.UJ = (n.nj + 500) / 1000
	n.byName = nil
	rest := &node{Name: other, Kind: "other"}
	n.Children = slices.DeleteFunc(n.Children, func(c *node) bool {
		if c.nj < least {
			rest.add(c.nj, c.NS, c.Samples)
		}
		return c.nj < least
	})
	for _, c := range n.Children {
		c.finish(least)
	}
	if rest.nj >= least && len(n.Children) > 0 {
		rest.UJ = (rest.nj + 500) / 1000
		n.Children = append(n.Children, rest)
	}
	slices.SortFunc(n.Children, func(a, b *node) int { return cmp.Compare(a.Name, b.Name) })
}
