package policy

import (
	"testing"
	"time"
)

func TestFixed(t *testing.T) {
	calls := 0
	p := NewFixed(2 * ghz)
	d := p.Decide(busy(5*time.Millisecond), work{Scaling: 5e6, Calls: &calls})
	want := Decision{Frequency: 2 * ghz, Reason: ReasonFixed, Chosen: 10e6}
	if d != want || calls != 1 || p.First() != d.Frequency {
		t.Errorf("%+v, %d predictions", d, calls)
	}
}
