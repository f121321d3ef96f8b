package meters

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/units"
)

// TestWatchIsBounded: readings come as often as ever, and the oldest make room.
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
	m, err := inventory.Open(fs, "ina226")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	w := newWatch(powerSensor{m}, filepath.Join(root, "none"), time.Second)
	for range mostWatched {
		w.track.Add(wattmeter.Reading{})
		w.addLoad(wattmeter.Load{})
	}
	w.look()
	w.addLoad(wattmeter.Load{})
	readings := w.track.Newest()
	if n := len(readings); n != mostWatched/2+1 || len(w.load) != n || w.period != time.Second {
		t.Errorf("%d readings, %d accounts, each %v", n, len(w.load), w.period)
	}
	if last := readings[len(readings)-1]; last.Power != 7 || last.At <= 0 {
		t.Errorf("the newest is %+v", last)
	}
	w.stop() // it was never started
}

// once is a sensor that gives its readings a single time.
type once struct {
	readings []wattmeter.Reading
	err      error
}

func (s *once) Name() string { return "once" }
func (s *once) Close() error { return nil }
func (s *once) Read() ([]wattmeter.Reading, error) {
	readings := s.readings
	s.readings = nil
	return readings, s.err
}

// TestNewestPowerLasts: at the end of the reading the newest power lasts until then, as a share
// says what a time took only after it. Of a sensor that failed then, nothing is known.
func TestNewestPowerLasts(t *testing.T) {
	for _, failed := range []error{nil, errors.New("gone")} {
		at := now() - 61 // the line before is a minute old
		s := &once{readings: []wattmeter.Reading{{At: at, Power: 10}, {At: at + 1, Power: 10}}}
		w := newWatch(s, "none", time.Hour)
		if err := w.start(); err != nil {
			t.Fatal(err)
		}
		s.err = failed
		least := 10 * (now() - at)
		w.stop()
		most := 10 * (now() - at)
		if failed != nil {
			least, most = 10, 10
		}
		if got := w.track.Until(math.Inf(1)).Joules; got < least-1e-9 || got > most+1e-9 {
			t.Errorf("failed %v: %v J, want %v to %v", failed, got, least, most)
		}
	}
}

// TestAttributedMachine: a window's energy is the mean power of its readings, or the last one's.
func TestAttributedMachine(t *testing.T) {
	w := newWatch(nil, "none", time.Second)
	for s := range 4 {
		w.track.Add(wattmeter.Reading{At: float64(10 + s), Power: 10})
	}
	w.track.Add(wattmeter.Reading{At: 14, Power: 30})
	a := &attributedMachine{watch: w}
	at := func(seconds float64) units.Instant { return units.Instant(seconds * 1e9) }
	for _, c := range []struct{ at, joules float64 }{{10, 0}, {12, 20}, {14, 10 + 20}, {15, 30},
		{15, 0}} {
		if got := float64(a.Cut(at(c.at))[0]) / 1e9; math.Abs(got-c.joules) > 1e-6 {
			t.Errorf("at %v s: %v J, want %v", c.at, got, c.joules)
		}
	}
	if (*Machine)(nil).Attributed(nil) != nil || (&Machine{}).Attributed(nil) != nil {
		t.Error("a log is read at the end")
	}
}

// TestMachineOfDays: a sensor that is read for ten days says what it used in ten days, in the
// report and in the attribution, whatever part of its readings is still there. The target sleeps
// most of the time: no window is cut then.
func TestMachineOfDays(t *testing.T) {
	const days, begin, day = 10, 5.0, 86400.0
	at := func(s float64) units.Instant { return units.Instant(s * 1e9) }
	w := newWatch(nil, "none", sensorPeriod)
	m := &Machine{watch: w, sensor: powerSensor{&inventory.Meter{}}}
	a := &attributedMachine{watch: w}
	var attributed units.Energy
	m.Observe(&governor.Event{Kind: governor.Begin, At: at(begin)}, nil)
	end := begin + days*day
	for s, cut := 0.0, begin; s <= end+1; s += sensorPeriod.Seconds() {
		w.track.Add(wattmeter.Reading{At: s, Power: 100})
		if s >= cut {
			attributed += a.Cut(at(s))[0]
			cut += 6 * 3600
		}
	}
	m.Observe(&governor.Event{Kind: governor.End, At: at(end)}, nil)
	var r report.Report
	if err := m.Finish(t.Context(), &r); err != nil {
		t.Fatal(err)
	}
	const want = 100 * days * day
	got := r.MachineMeters[0]
	if math.Abs(float64(got.EnergyNJ)/1e9-want) > 1 ||
		math.Abs(float64(got.CoveredNS)/1e9-days*day) > 1e-3 || got.Readings != 4*days*86400 {
		t.Errorf("%+v, want %v J", got, want)
	}
	if j := float64(attributed) / 1e9; math.Abs(j-want) > 100 {
		t.Errorf("attributed %v J, want %v", j, want)
	}
}
