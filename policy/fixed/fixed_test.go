package fixed

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/policy/policytest"
)

func TestFixed(t *testing.T) {
	calls := 0
	p := New(2 * policytest.GHz)
	d := p.Decide(policytest.Busy(5*time.Millisecond), policytest.Work{Scaling: 5e6, Calls: &calls})
	want := policy.Decision{Frequency: 2 * policytest.GHz, Reason: policy.ReasonFixed, Chosen: 10e6}
	if d != want || calls != 1 || p.First() != d.Frequency {
		t.Errorf("%+v, %d predictions", d, calls)
	}
}
