package attribution

import (
	"github.com/ebb-energy/ebb/energy/stacks"
	"github.com/ebb-energy/ebb/energy/symbols"
	"github.com/ebb-energy/ebb/energy/unwind"
)

// end says how far a stack goes.
type end uint8

const (
	whole   end = iota // back to where its thread begins
	chained            // to where the chain of frame pointers ends: its outermost function tells whether that is all
	cut                // not so far
)

// walk finds the program's part of a stack. Where the sample has no registers it is what the kernel found by frame pointers.
func (c *Collector) walk(image symbols.Image, s *stacks.Sample) ([]uint64, end) {
	if s.Registers == (stacks.Registers{}) {
		user := c.resolver.Chained(image, s.User)
		if s.Truncated || s.Unreadable {
			return user, cut
		}
		return user, chained
	}
	found := c.resolver.Unwind(image, &unwind.Thread{
		Registers: unwind.Registers(s.Registers), Base: s.Registers.StackPointer() - stacks.RedZone, Stack: s.Stack, Chain: s.User,
	})
	switch found.End {
	case unwind.Whole:
		return found.Frames, whole
	case unwind.Chain:
		return found.Frames, chained
	}
	return found.Frames, cut
}
