package simtest

import "github.com/ebb-energy/ebb/epochs"

// takeOff takes a core off the machine. Its threads go on elsewhere.
func (m *Computer) takeOff(c *core) {
	c.online = false
	var moved []*Thread
	if c.t != nil {
		moved = append(moved, m.leaveCore(c, epochs.Preempted))
	}
	moved = append(moved, c.queue...)
	c.queue = c.queue[:0]
	for _, t := range moved {
		m.arrive(t)
	}
}
