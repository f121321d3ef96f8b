package attribution

import (
	"cmp"
	"context"
	"hash/maphash"
	"maps"
	"slices"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// Bounds of what is kept of instrumented functions.
const (
	maxInstrumented = 1 << 17 // functions that are asked for
	maxUncalled     = 4096    // names of functions that were never called
)

// cover adds the functions that the program's files were compiled to count and that nobody called.
// The files are those with a called function, and all others of the same processes.
func (c *calls) cover(
	ctx context.Context, out *profile.Functions, all map[protocol.Address]uint64,
	rows map[int]*counted, p *profile.Profile,
) error {
	images := map[protocol.Image]bool{}
	for a := range all {
		images[a.Image] = true
	}
	list := slices.Sorted(maps.Keys(images))
	if len(list) > protocol.MaxHooked {
		list = list[:protocol.MaxHooked]
		c.of.problems = append(c.of.problems, "functions that were never called: there are too "+
			"many processes: the files of some were not searched")
	}
	cover := newCoverage()
	for n := range rows {
		cover.called(p.Frames[n].Name, p.Frames[n].Module)
	}
	more, err := c.cfg.Rings.Instrumented(ctx, list, maxInstrumented, cover.instrumented)
	if err != nil {
		return err
	}
	if more {
		c.of.problems = append(c.of.problems,
			"functions that were never called: there are too many: some are not listed")
	}
	cover.finish(out)
	return nil
}

// coverage divides functions into called and uncalled ones. It keeps sums, and only the names that
// it lists.
type coverage struct {
	seed     maphash.Seed
	ran      map[uint64]bool // functions that were called
	found    map[uint64]bool // functions that are instrumented
	never    int
	uncalled []profile.Uncalled
}

func newCoverage() *coverage {
	return &coverage{seed: maphash.MakeSeed(), ran: map[uint64]bool{}, found: map[uint64]bool{}}
}

func (c *coverage) sum(name, module string) uint64 {
	return maphash.Comparable(c.seed, [2]string{name, module})
}

func (c *coverage) called(name, module string) { c.ran[c.sum(name, module)] = true }

func (c *coverage) instrumented(f protocol.Frame) {
	sum := c.sum(f.Name, f.Module)
	if c.found[sum] {
		return
	}
	if c.found[sum] = true; c.ran[sum] {
		return
	}
	c.never++
	if len(c.uncalled) < maxUncalled {
		c.uncalled = append(c.uncalled, profile.Uncalled{Name: f.Name, Module: f.Module})
	}
}

func (c *coverage) finish(out *profile.Functions) {
	out.Instrumented, out.Never = len(c.found), c.never
	slices.SortFunc(c.uncalled, func(a, b profile.Uncalled) int {
		return cmp.Or(cmp.Compare(a.Module, b.Module), cmp.Compare(a.Name, b.Name))
	})
	out.Uncalled = c.uncalled
}
