package child

import (
	"errors"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks/symbols"
	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// walkAll walks the stacks of a packet. The names of new marks precede the stacks that have them.
func (c *child) walkAll(b []byte) error {
	c.stacks = protocol.BeginStacks(c.stacks[:0])
	var failed error
	err := protocol.DecodeSamples(b, func(s *protocol.Sample) {
		if failed != nil {
			return
		}
		c.progress.At(s.Seq, s.Image)
		stack := c.walk(s)
		if failed = errors.Join(c.codes(s.Image), c.threads(s.Image),
			c.virtual(s.Image)); failed != nil {
			return
		}
		if len(c.stacks)+protocol.StackSize(len(stack.Frames)) > protocol.MaxPacket {
			failed = c.governor.Send(c.stacks)
			c.stacks = protocol.BeginStacks(c.stacks[:0])
		}
		c.stacks = protocol.AppendStack(c.stacks, &stack)
	})
	if failed == nil {
		failed = err
	}
	if failed == nil {
		failed = c.report()
	}
	if failed == nil {
		failed = c.governor.Send(c.stacks)
	}
	return failed
}

// walk finds the program's part of a stack. Where the sample has no registers, that is what the
// kernel found by frame pointers.
func (c *child) walk(s *protocol.Sample) protocol.Stack {
	image := symbols.Image(s.Image)
	c.resolver.Image(image, int(s.PID))
	c.resolver.Notice(image, s.Maps)
	out := protocol.Stack{Seq: s.Seq, End: protocol.Cut}
	if s.Chained {
		out.Frames, out.End = c.resolver.Chained(image, s.Chain, s.At), protocol.Chained
		return out
	}
	c.thread = unwind.Thread{
		Registers: unwind.Registers(s.Registers), Base: s.Base, Stack: s.Stack, Chain: s.Chain,
	}
	found := c.resolver.Unwind(image, &c.thread, s.At)
	out.Frames = found.Frames
	c.resolver.Mounted(image, s.Mounted, out.Frames)
	switch found.End {
	case unwind.Whole:
		out.End = protocol.Whole
	case unwind.Chain:
		out.End = protocol.Chained
	}
	return out
}

// codes sends what an image's new marks stand for.
func (c *child) codes(image protocol.Image) error {
	all := c.resolver.Codes(symbols.Image(image))
	for first := c.sentCodes[image]; first < len(all); first = c.sentCodes[image] {
		var list []protocol.Code
		for _, code := range all[first:] {
			name := symbols.FrameOf(code.Name, code.Interpreted).Name
			list = append(list, protocol.Code{Name: name, Interpreted: code.Interpreted})
		}
		b, n := protocol.Codes(image, uint32(first), list)
		if err := c.governor.Send(b); err != nil {
			return err
		}
		c.sentCodes[image] += n
	}
	return nil
}

// threads sends the names that an image's virtual machine gives its threads, if the resolver has
// new ones.
func (c *child) threads(image protocol.Image) error {
	var list []protocol.Thread
	for _, t := range c.resolver.Threads(symbols.Image(image)) {
		list = append(list, protocol.Thread{ID: t.ID, Name: t.Name})
	}
	for len(list) > 0 {
		b, n := protocol.Threads(image, list)
		if err := c.governor.Send(b); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}
