package many_test

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/units"
)

// TestClockJumps: the clock goes on by hours while a tenant sleeps or runs, as a virtual machine's
// can whose host was suspended. The time is no part of its account, and neither excess nor credit:
// then the tenant is governed as before, and loses no more than its budget.
func TestClockJumps(t *testing.T) {
	t.Run("asleep", func(t *testing.T) { clockJumps(t, true, 8*time.Hour) })
	t.Run("running", func(t *testing.T) { clockJumps(t, false, 8*time.Hour) })
	t.Run("for a year", func(t *testing.T) { clockJumps(t, false, 365*24*time.Hour) })
}

func clockJumps(t *testing.T, asleep bool, by time.Duration) {
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
	all := func(*governor.Quantum) bool { return true }
	low(400) // it learns
	before := low(1000)
	was, decisions := h.m.Slowdowns(1).Run, h.decided(1, all)
	h.at = h.at.Add(time.Millisecond)
	if asleep {
		h.close(epochs.Off, epochs.OtherSleep, 1)
		h.at = h.at.Add(by)
		h.on(1, epochs.Woken)
	} else {
		h.at = h.at.Add(by)
		h.quantum(1)
	}
	low(2)
	if n := h.decided(1, all) - decisions; n > 5 {
		t.Errorf("%d decisions on a jump", n)
	}
	is := h.m.Slowdowns(1).Run
	if d := (is.Took - is.Highest) - (was.Took - was.Highest); !asleep &&
		max(d, -d) > float64(quantum) {
		t.Errorf("the jump counts %v", time.Duration(d))
	}
	if took := time.Duration(is.Took - was.Took); !asleep && took > 5*quantum {
		t.Errorf("%v of the jump are in the account", took)
	}
	low(398)
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
	if long, ok := h.m.Slowdowns(1).Long.Now().Slowdown(); !ok || !(long < 0.21) {
		t.Errorf("it is %v slower in 5 min", long)
	}
}
