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
func (a *Attributor) keepTraced(used []bool) {
	if a.cfg.Trace == nil {
		return
	}
	kept := map[energy.StackID]bool{}
	for id, u := range used {
		if i := energy.StackID(id); u && (a.traced == nil || a.traced[i]) {
			kept[i] = true
		}
	}
	a.traced = kept
}

// traceNames completes a trace with the names of its living threads and of its stacks.
func (a *Attributor) traceNames(p *profile.Profile, index map[epochs.TID]int, f *frames) {
	t := a.cfg.Trace
	if t == nil {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(index)) {
		if m := a.people.all[id]; m != nil && m.ended == 0 && m.threads == 0 {
			x := &p.Threads[index[id]]
			t.Name(id, int(x.TID), int(x.PID), x.Comm)
		}
	}
	all := map[energy.StackID]bool{}
	for u := range a.ledgers[0].Entries() {
		if u.Stack != energy.NoStack && (a.traced == nil || a.traced[u.Stack]) {
			all[u.Stack] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		var names []string
		for _, frame := range a.resolve(id, f) {
			names = append(names, p.Frames[frame].Name)
		}
		t.Stack(id, names)
	}
	if n := t.Stopped(); n > 0 {
		a.problems = append(a.problems, fmt.Sprintf("--trace: it has reached its size; windows "+
			"from the %dth on are not in it", n))
	}
	if threads, stacks := t.Unnamed(); threads > 0 || stacks > 0 {
		a.problems = append(a.problems, fmt.Sprintf("--trace: it has reached its size; %d threads "+
			"and %d stacks have no names in it", threads, stacks))
	}
	if a.traced != nil {
		a.problems = append(a.problems, "--trace: stacks were given up to save memory, so some of "+
			"its samples have none")
	}
}
