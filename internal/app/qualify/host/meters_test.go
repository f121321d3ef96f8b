package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// laptop is a machine without RAPL, with ACPI's meter, a meter of a part and a battery.
const laptop = bare + `
file 0644 class/hwmon/hwmon0/device/name
	power_meter
file 0644 class/hwmon/hwmon0/device/power1_average
	10000000
file 0644 class/hwmon/hwmon1/name
	ina226
file 0644 class/hwmon/hwmon1/power1_input
	10000000
file 0644 class/power_supply/BAT0/type
	Battery
file 0644 class/power_supply/BAT0/status
	Discharging
file 0644 class/power_supply/BAT0/energy_now
	30000000
file 0644 class/power_supply/BAT0/power_now
	10000000
`

// loads is a machine of files, whose busy time and power follow the steps of load.
type loads struct {
	t          *testing.T
	sys, proc  string
	perBattery float64 // that the battery shows of each W
	mutex      sync.Mutex
	share      float64 // of both CPUs' time
	busy       float64 // s
	at         time.Time
}

// put replaces a file as the kernel's attributes change: whole.
func (l *loads) put(path, text string) {
	err := errors.Join(os.WriteFile(path+".new", []byte(text), 0o600), os.Rename(path+".new", path))
	if err != nil {
		l.t.Error(err)
	}
}

// tick brings the busy time up to now.
func (l *loads) tick() {
	now := time.Now()
	l.busy += 2 * l.share * now.Sub(l.at).Seconds()
	l.at = now
	ticks := int(100 * l.busy)
	l.put(filepath.Join(l.proc, "stat"), fmt.Sprintf("cpu  %d 0 0 0 0 0 0 0 0 0\n"+
		"cpu0 %d 0 0 0 0 0 0 0 0 0\nintr 1\nctxt 1\nsoftirq 1 1\n", ticks, ticks))
}

// write writes over an attribute, which stays open while it is read.
func (l *loads) write(path string, watts float64) {
	f, err := os.OpenFile(filepath.Join(l.sys, path), os.O_WRONLY, 0)
	if err == nil {
		_, err = fmt.Fprintf(f, "%08.0f", 1e6*watts)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		l.t.Error(err)
	}
}

// say follows the steps' lines.
func (l *loads) say(format string, args ...any) {
	l.t.Logf(format, args...)
	var percent float64
	line := fmt.Sprintf(format, args...)
	if _, err := fmt.Sscanf(line, " %f %% of all CPUs", &percent); err != nil {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.tick()
	l.share = percent / 100
	watts := 10 + 20*l.share
	l.write("class/hwmon/hwmon0/device/power1_average", watts)
	l.write("class/hwmon/hwmon1/power1_input", 70-watts)
	l.write("class/power_supply/BAT0/power_now", watts*l.perBattery)
}

// TestMetersOfTheMachine: ACPI's meter and the battery are read over the steps of load and
// compared; a meter of a part is read. A battery that shows half is found. The busy time is as
// exact as this test's own threads are punctual, so how well the meters follow it is not judged.
func TestMetersOfTheMachine(t *testing.T) {
	for _, c := range []struct{ perBattery, slope float64 }{{1, 1}, {0.5, 2}} {
		l := &loads{t: t, sys: devtest.Tree(t, laptop), proc: t.TempDir(), at: time.Now(),
			perBattery: c.perBattery}
		l.tick()
		stop, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			for !wait(stop, 2*time.Millisecond) {
				l.mutex.Lock()
				l.tick()
				l.mutex.Unlock()
			}
		}()
		r, err := Run(context.Background(), &Settings{Plan: qualify.NewPlan(qualify.Quick,
			100*time.Millisecond, 1, 2, []int{4}), Self: "/nowhere/ebb", Sysfs: l.sys, Proc: l.proc,
			RunDir: filepath.Join(t.TempDir(), "run"), Say: l.say,
			Keep: func(*qualify.Result) error { return nil }})
		close(stop)
		<-done
		if err != nil {
			t.Fatal(err)
		}
		s := r.Step(4)
		if s.State != qualify.Finished || len(s.Missing) != 1 || s.Missing[0].What != "RAPL" {
			t.Fatalf("%+v", s)
		}
		var shown []string
		for _, m := range s.Meters.Meters {
			shown = append(shown, m.Name+" "+m.Scope)
			if len(m.Loads) < 3 {
				t.Errorf("%+v", m)
			}
		}
		if got := strings.Join(shown, "; "); got != "power_meter (hwmon0/power1) machine; "+
			"ina226 (hwmon1/power1) part; battery machine" {
			t.Error(got)
		}
		if a := s.Meters.Against; len(a) != 1 || a[0].With != "battery" ||
			a[0].Slope < 0.6*c.slope || a[0].Slope > 1.5*c.slope {
			t.Errorf("%+v", a)
		}
	}
}
