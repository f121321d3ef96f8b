package attribution

import (
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// TestInstructionsOfWindows: a slice's instructions are divided between the windows that it lies
// in, none is lost, and what is booked is forgotten.
func TestInstructionsOfWindows(t *testing.T) {
	c := &calls{cfg: &Functions{Instructions: 1}, retired: map[epochs.TID][]retired{}}
	slice := func(id epochs.TID, from, to units.Instant, n uint64) {
		ev := epochs.Event{From: from, At: to}
		ev.Counters[1] = n
		c.slice(id, &ev)
	}
	slice(7, 0, 50, 500)
	slice(7, 80, 120, 4000)
	slice(8, 10, 20, 3)
	slice(7, 120, 300, 1)
	if a, b := c.instructions(7, 0, 100), c.instructions(7, 100, 120); a != 2500 || b != 2000 {
		t.Errorf("%v and %v instructions", a, b)
	}
	c.forget(100)
	if n := c.instructions(7, 100, 300); n != 2001 || len(c.retired) != 1 {
		t.Errorf("%v instructions, %d threads", n, len(c.retired))
	}
	none := &calls{cfg: &Functions{Instructions: -1}, retired: map[epochs.TID][]retired{}}
	none.slice(7, &epochs.Event{From: 1, At: 2})
	if len(none.retired) != 0 {
		t.Error("what nobody counts is kept")
	}
}
