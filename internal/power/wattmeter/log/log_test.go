package log

import (
	"math"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/power/wattmeter"
)

func TestRead(t *testing.T) {
	for name, text := range map[string]string{
		"names":    "time,watts\n1795000000,10\n1795000001.5, 12.5\n",
		"RFC 3339": "2026-11-18T11:06:40Z,10\n2026-11-18T11:06:41.5Z,12.5\n",
		"cut":      "# a meter\n1795000000,10\n1795000001.5,12.5\n17950",
	} {
		got, err := Read(strings.NewReader(text))
		if err != nil || len(got) != 2 ||
			got[0] != (wattmeter.Reading{At: 1795000000, Power: 10}) ||
			got[1] != (wattmeter.Reading{At: 1795000001.5, Power: 12.5}) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
	for want, text := range map[string]string{
		"fewer than two": "time,watts\n", "fewer than two ": "",
		"line 2":                       "1,1\nx,2\n3,3\n",
		"before that of the line abov": "5,1\n6,1\n4,1\n7,1\n",
		"no power in watts":            "1,1\n2,1\n3,-5\n4,1\n",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%q: got %v", want, err)
		}
	}
}

// FuzzRead: what is read is in order and within its bounds, and its energy is that of a power
// within them.
func FuzzRead(f *testing.F) {
	f.Add("time,watts\n1,10\n2,20\n")
	f.Add("2026-11-18T11:06:40Z,10\n\"")
	f.Add("1e308,1\n1e308,2\n1.7e308,3\n")
	f.Add("-1e300,0\n0,1e6\n0,0\n3,1\n")
	f.Fuzz(func(t *testing.T, text string) {
		readings, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		for i, r := range readings {
			if !(r.Power >= 0 && r.Power <= wattmeter.MostWatts) || math.IsInf(r.At, 0) ||
				i > 0 && r.At < readings[i-1].At {
				t.Fatalf("%+v", readings)
			}
		}
		begin, end := readings[0].At-1, readings[len(readings)-1].At+1
		joules, covered := wattmeter.Energy(readings, begin, end, wattmeter.MostGap)
		if !(joules >= 0 && joules <= wattmeter.MostWatts*covered*(1+1e-9)) ||
			covered > end-begin {
			t.Fatalf("%v J in %v s of %v to %v", joules, covered, begin, end)
		}
		wattmeter.Steps(readings)
	})
}

// endless is a log without an end, as a device has it.
type endless struct{ read int }

func (e *endless) Read(b []byte) (int, error) {
	e.read += len(b)
	clear(b)
	return len(b), nil
}

// TestEndlessLog: one line without an end is given up.
func TestEndlessLog(t *testing.T) {
	e := &endless{}
	if _, err := Read(e); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("got %v", err)
	}
	if e.read > mostBytes+1<<20 {
		t.Errorf("%d bytes were read", e.read)
	}
}
