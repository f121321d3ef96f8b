package simtest

// fetch takes the next thread for c off its queue, or the longest other one.
func (m *Computer) fetch(c *core) *Thread {
	from, at, longest := c, 0, 0
	if len(c.queue) == 0 {
		for _, o := range m.cores {
			if i := o.movable(); i >= 0 && len(o.queue) > longest {
				from, at, longest = o, i, len(o.queue)
			}
		}
	}
	if len(from.queue) == 0 {
		return nil
	}
	t := from.queue[at]
	from.queue = append(from.queue[:at], from.queue[at+1:]...)
	return t
}

// movable returns the place of the first thread in c's queue that may run elsewhere, or -1.
func (c *core) movable() int {
	for i, t := range c.queue {
		if t.pinned == nil {
			return i
		}
	}
	return -1
}
