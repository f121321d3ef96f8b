package child

import (
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks/symbols"
)

// virtual sends which threads of an image's virtual machine say whom they carry, if that has
// changed, and the names of virtual threads that are new.
func (c *child) virtual(image protocol.Image) error {
	if all, changed := c.resolver.Carriers(symbols.Image(image)); changed {
		var list []protocol.Carrier
		for _, x := range all {
			list = append(list, protocol.Carrier(x))
		}
		if err := c.governor.Send(protocol.Carriers(image, list)); err != nil {
			return err
		}
	}
	var list []protocol.Virtual
	for _, x := range c.resolver.Virtual(symbols.Image(image)) {
		list = append(list, protocol.Virtual(x))
	}
	for len(list) > 0 {
		b, n := protocol.VirtualThreads(image, list)
		if err := c.governor.Send(b); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}
