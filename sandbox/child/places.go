package child

import (
	"github.com/ebb-energy/ebb/sandbox/protocol"
	"github.com/ebb-energy/ebb/stacks/symbols"
)

// places answers with the files that an image has mapped, or with functions of them.
func (c *Child) places(b []byte) error {
	q, err := protocol.DecodeAskOrigins(b)
	if err != nil {
		return err
	}
	image := symbols.Image(q.Image)
	c.progress.At(0, q.Image)
	c.resolver.Image(image, int(q.PID))
	c.resolver.Ran(image, q.Addrs)
	var found []symbols.Place
	if q.Functions {
		for _, a := range q.Addrs {
			if f, ok := c.resolver.Function(image, a); ok {
				found = append(found, f)
			}
		}
	} else {
		found = c.resolver.Mapped(image, protocol.MaxOrigins)
	}
	out := protocol.Origins{Image: q.Image}
	for i := range found {
		out.List = append(out.List, protocol.Origin(found[i]))
	}
	if err := c.report(); err != nil {
		return err
	}
	return c.governor.Send(out.Encode())
}
