package attribution

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// keepTraced notes which stacks are still what they were when the trace's samples named them. The
// numbers of abandoned stacks are used again.
func (c *Attributor) keepTraced(used []bool) {
	if c.cfg.Trace == nil {
		return
	}
	kept := map[energy.StackID]bool{}
	for id, u := range used {
		if i := energy.StackID(id); u && (c.traced == nil || c.traced[i]) {
			kept[i] = true
		}
	}
	c.traced = kept
}

// traceNames completes a trace with the names of its living threads and of its stacks.
func (c *Attributor) traceNames(p *profile.Profile, index map[epochs.TID]int, f *frames) {
	t := c.cfg.Trace
	if t == nil {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(index)) {
		if m := c.people.all[id]; m != nil && m.ended == 0 && m.threads == 0 {
			x := &p.Threads[index[id]]
			t.Name(id, int(x.TID), int(x.PID), x.Comm)
		}
	}
	all := map[energy.StackID]bool{}
	for u := range c.ledgers[0].Entries() {
		if u.Stack != energy.NoStack && (c.traced == nil || c.traced[u.Stack]) {
			all[u.Stack] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		var names []string
		for _, frame := range c.resolve(id, f) {
			names = append(names, p.Frames[frame].Name)
		}
		t.Stack(id, names)
	}
	if n := t.Stopped(); n > 0 {
		c.problems = append(c.problems, fmt.Sprintf("--trace: it has reached its size; windows "+
			"from the %dth on are not in it", n))
	}
	if threads, stacks := t.Unnamed(); threads > 0 || stacks > 0 {
		c.problems = append(c.problems, fmt.Sprintf("--trace: it has reached its size; %d threads "+
			"and %d stacks have no names in it", threads, stacks))
	}
	if c.traced != nil {
		c.problems = append(c.problems, "--trace: stacks were given up to save memory, so some of "+
			"its samples have none")
	}
}
