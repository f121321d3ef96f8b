package run

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/internal/power/wattmeter/sensors"
	"github.com/ebb-energy/ebb/units"
)

// TestWatchIsBounded: readings beyond the bound cost every second one, and come half as often.
func TestWatchIsBounded(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "class/hwmon/hwmon0")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"name": "ina226\n", "power1_input": "7000000\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fs, err := sysfs.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Close()
	m, err := sensors.Open(fs, "ina226")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	w := newWatch(m, filepath.Join(root, "none"), time.Second)
	w.readings = make([]wattmeter.Reading, mostWatched)
	w.look()
	if n := len(w.readings); n != mostWatched/2+1 || w.period != 2*time.Second {
		t.Errorf("%d readings, each %v", n, w.period)
	}
	if last := w.readings[len(w.readings)-1]; last.Power != 7 || last.At <= 0 {
		t.Errorf("the newest is %+v", last)
	}
	w.stop() // it was never started
}

// TestAttributedMachine: a window's energy is the mean power of its readings, or the last one's.
func TestAttributedMachine(t *testing.T) {
	w := &watch{stat: "none"}
	for s := range 4 {
		w.readings = append(w.readings, wattmeter.Reading{At: float64(10 + s), Power: 10})
	}
	w.readings = append(w.readings, wattmeter.Reading{At: 14, Power: 30})
	a := &attributedMachine{watch: w}
	at := func(seconds float64) units.Instant { return units.Instant(seconds * 1e9) }
	for _, c := range []struct{ at, joules float64 }{{10, 0}, {12, 20}, {14, 10 + 20}, {15, 30},
		{15, 0}} {
		if got := float64(a.Cut(at(c.at))[0]) / 1e9; math.Abs(got-c.joules) > 1e-6 {
			t.Errorf("at %v s: %v J, want %v", c.at, got, c.joules)
		}
	}
	if (*machineMeter)(nil).attributed(nil) != nil || (&machineMeter{}).attributed(nil) != nil {
		t.Error("a log is read at the end")
	}
}
