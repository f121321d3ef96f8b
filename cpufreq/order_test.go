package cpufreq

import (
	"testing"

	"github.com/ebb-energy/ebb/cpufreq/internal/fakekernel"
)

// Limits are put back in the order in which the minimum is never above the maximum, wherever they
// are.
func TestLimitsNeverCrossInARestore(t *testing.T) {
	for _, c := range []struct{ now, lo, hi string }{
		{"3000000", "1000000", "2000000"}, // down: the minimum first
		{"1000000", "2000000", "3000000"}, // up: the maximum first
		{"2000000", "1000000", "3000000"},
	} {
		spec := hwp(1)
		spec.OldLimits = true
		k := fakekernel.New(t, spec)
		for _, name := range []string{minFile, maxFile} {
			if errno := k.Write(policy("0", name), c.now); errno != 0 {
				t.Fatal(errno)
			}
		}
		k.Writes()
		held := [heldValues]string{c.now}
		results := restoreControls(k.FS(t), []entry{
			{Control: minFile, Found: c.lo, Held: held},
			{Control: maxFile, Found: c.hi, Held: held},
		})
		for _, r := range results {
			if r.Result != Restored {
				t.Errorf("from %s: %v", c.now, r)
			}
		}
		for _, w := range k.Writes() {
			if w.Err != 0 {
				t.Errorf("from %s: refused %v", c.now, w)
			}
		}
		says(t, k, policy("0", minFile), c.lo)
		says(t, k, policy("0", maxFile), c.hi)
	}
}
