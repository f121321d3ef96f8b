package many_test

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/units"
)

// TestClockJumps: the clock goes on by hours while a tenant sleeps, as a virtual machine's can
// whose host was suspended. Then the tenant is governed as before, and loses no more than its
// budget.
func TestClockJumps(t *testing.T) {
	h := start(t, nil, spender(1, 0.2))
	h.begin(1)
	h.on(1, epochs.Started)
	low := func(quanta int) (n int) { // the number of quanta below the highest clock
		for range quanta {
			if h.clock[0] < 4e9 {
				n++
			}
			h.quantum(1)
		}
		return n
	}
	low(400) // it learns
	before := low(1000)
	h.at = h.at.Add(time.Millisecond)
	h.close(epochs.Off, epochs.OtherSleep, 1)
	h.at = h.at.Add(8 * time.Hour)
	h.on(1, epochs.Woken)
	low(400)
	after := low(1000)
	if after < before*9/10 || after > before*11/10 || before == 0 {
		t.Errorf("below the highest clock in %d of 1000 quanta before, %d after", before, after)
	}
	var of many.Account
	from := h.at - units.Instant(1000*quantum)
	h.decided(1, func(q *governor.Quantum) bool {
		if q.Start >= from {
			of.Took, of.Highest = of.Took+q.AtEffective, of.Highest+q.Max
		}
		return false
	})
	if slow, ok := of.Slowdown(); !ok || !(slow < 0.21) {
		t.Errorf("it is %v slower then", slow)
	}
}
