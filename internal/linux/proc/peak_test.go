package proc

import "testing"

func TestParse(t *testing.T) {
	for status, want := range map[string]int64{
		"Name:\tebb\nVmPeak:\t  900 kB\nVmHWM:\t  12 kB\nVmRSS:\t 8 kB\n": 12 << 10,
		"Name:\tebb\nState:\tZ (zombie)\n":                                0,
		"VmHWM:\tmuch\n":                                                  0,
		"":                                                                0,
	} {
		if got := parsePeak(status); got != want {
			t.Errorf("%q: %d, want %d", status, got, want)
		}
	}
}

func TestMemory(t *testing.T) {
	if got := PeakMemory("self"); got < 100<<10 || got > 1<<40 {
		t.Errorf("this process: %d bytes", got)
	}
	if got := PeakMemory("no process"); got != 0 {
		t.Errorf("no process: %d bytes", got)
	}
}
