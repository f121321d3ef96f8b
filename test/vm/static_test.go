package vm

import (
	"fmt"
	"math"
	"testing"
)

// apart is the allowed difference between figures of the same run. The largest found was 0.12 %,
// half a millisecond of a run.
const apart = 0.002

// The same work at the same frequency takes the same time and energy each time, in this machine and
// in another one that is booted anew: tools/test-vm.sh compares the lines that begin with
// "static:".
func TestStatic(t *testing.T) {
	settle(t)
	for _, khz := range []int{4000000, 2000000} {
		for _, l := range []load{memoryBound, computeBound} {
			first, again := at(t, khz, l), at(t, khz, l)
			for what, v := range map[string][2]float64{
				"time": {first.time.Seconds(), again.time.Seconds()}, "package": {first.package_,
					again.package_}, "dram": {first.dram, again.dram},
			} {
				if v[0] == 0 || math.Abs(v[1]/v[0]-1) > apart {
					t.Errorf("%s at %d kHz: %s %.6f, again %.6f", l.phases[0], khz, what, v[0],
						v[1])
				}
			}
			fmt.Printf("static: %s %d %d %.6f %.6f\n", l.phases[0], khz, first.time.Nanoseconds(),
				first.package_, first.dram)
		}
	}
}
