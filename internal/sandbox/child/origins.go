package child

import (
	"slices"

	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks/symbols"
)

// origins answers with the files that an image has mapped, or with functions of them, and with the
// Java code at the addresses.
func (c *child) origins(b []byte) error {
	q, err := protocol.DecodeAskOrigins(b)
	if err != nil {
		return err
	}
	image := symbols.Image(q.Image)
	c.progress.At(0, q.Image)
	c.resolver.Image(image, int(q.PID))
	c.resolver.Ran(image, q.Addrs)
	found := c.resolver.Made(image, q.Addrs, protocol.MaxOrigins/2, protocol.MaxName)
	made := len(found)
	others := false // addresses lie elsewhere
	for _, a := range q.Addrs {
		if slices.ContainsFunc(found[:made], func(x symbols.Code) bool {
			return x.Start <= a && a < x.End
		}) {
			continue
		}
		others = true
		if !q.Functions {
			break
		}
		if f, ok := c.resolver.Function(image, a); ok {
			found = append(found, f)
		}
	}
	if !q.Functions && (others || len(q.Addrs) == 0) {
		found = append(found, c.resolver.Mapped(image, protocol.MaxOrigins-made)...)
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
