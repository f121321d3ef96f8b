package proc

import (
	"reflect"
	"testing"
	"time"
)

// TestEach: the sum, CPUs with and without stolen time, and lines that make no sense.
func TestEach(t *testing.T) {
	const text = "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7\ncpu12 1 2 3\n" +
		"cpux 1 2 3 4 5 6 7 8\ncpu3 -1 2 3 4 5 6 7 8\n" +
		"cpu4 18446744073709551615 2 3 4 5 6 7 8\nintr 5\ncpu5\ncpu6 0 0 0 0 0 0 1"
	const ms = 10 * time.Millisecond
	var cpus []int
	var bad []int
	EachCPU(text, func(l CPULine, err error) {
		if err != nil {
			if l.Busy() != 0 || l.Idle != 0 {
				t.Errorf("a malformed line has times: %+v", l)
			}
			bad = append(bad, l.CPU)
			return
		}
		cpus = append(cpus, l.CPU)
		if l.CPU == AllCPUs && (l.Busy() != 19*ms || l.Idle != 4*ms || l.Wait != 5*ms ||
			l.Steal != 8*ms) {
			t.Errorf("%+v", l)
		}
	})
	if !reflect.DeepEqual(cpus, []int{AllCPUs, 0, 6}) ||
		!reflect.DeepEqual(bad, []int{12, AllCPUs - 1, 3, 4, 5}) {
		t.Errorf("CPUs %v, malformed %v", cpus, bad)
	}
}

// FuzzEach: whatever the text is, times are not negative and CPUs have numbers.
func FuzzEach(f *testing.F) {
	f.Add("cpu  9 0 0 5 0 0 0 0 0 0\ncpu0 4 0 1 5 0 2 3 0 0 0\ncpu1 5 0 0 5\nintr 1 2\n")
	f.Add("cpu0 9223372036854775807 9223372036854775807 0 0 0 0 0\ncpu-1 1 1 1 1 1 1 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		EachCPU(text, func(l CPULine, err error) {
			if l.CPU < AllCPUs && err == nil || min(l.Busy(), l.Idle, l.Wait, l.Steal) < 0 {
				t.Errorf("%+v, %v", l, err)
			}
		})
	})
}
