package policy

import (
	"testing"
	"time"
)

// TestDebtOfALongRun: a run of a month may owe no more than one of five minutes, for its budget
// holds in each five minutes.
func TestDebtOfALongRun(t *testing.T) {
	const month = float64(30 * 24 * time.Hour)
	most := debtShare * float64(5*time.Minute)
	for _, owed := range []float64{0.9 * most, 1.1 * most} {
		a := newAllotment(t, AllotmentConfig{Slowdown: 0.05, States: steps125})
		w := work{Scaling: 2e6, Fixed: 3e6}
		q := busy(5 * ms)
		q.Delivered, q.Took = 4*ghz, w.Duration(4*ghz)
		a.Decide(q, w)
		a.busy, a.account = month, -owed
		if d := a.Decide(q, w); (d.Reason == ReasonDebt) != (owed > most) {
			t.Errorf("%v owed: %s", time.Duration(owed), d.Reason)
		}
	}
}
