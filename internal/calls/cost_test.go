package calls

import (
	"errors"
	"os"
	"testing"
	"time"
)

// TestMeasure: both kinds of calls have a cost, and what is measured is in no count. The times are
// compared with nothing: a machine may be slow.
func TestMeasure(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	for name, single := range map[string]bool{"together": false, "one by one": true} {
		c, err := open(nil, 1, single)
		if errors.Is(err, ErrNotSupported) || errors.Is(err, ErrPermission) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		cost, err := c.Measure(true)
		if err != nil {
			t.Fatal(name, err)
		}
		t.Logf("%s: %+v in %v", name, cost, time.Since(begin))
		if cost.Emulated <= 0 || cost.Stepped <= 0 {
			t.Errorf("%s: %+v", name, cost)
		}
		if got, err := c.Read(); err != nil || len(got) != 1 || got[0] != (Count{}) {
			t.Errorf("%s: counted %+v, %v", name, got, err)
		}
		// what was measured was stopped
		for i := range own {
			key, calls := uint32(1+i), uint64(0)
			if err := c.objects.Counts.Lookup(&key, &c.entries); err != nil {
				t.Fatal(err)
			}
			for _, e := range c.entries {
				calls += e.Others
			}
			if batch := uint64([]int{batchOf, batchStepped}[i]); calls == 0 || calls%batch != 0 {
				t.Errorf("%s: %d calls of kind %d were counted", name, calls, i)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
