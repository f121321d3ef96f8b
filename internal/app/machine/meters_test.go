package machine

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/rapl"
	"github.com/ebb-energy/ebb/units"
)

// TestBlindWindows: a window is divided only if all that the meter counted is the window's.
func TestBlindWindows(t *testing.T) {
	m := &meters{zones: []energy.Zone{{Name: "package-0"}}, most: []units.Power{100},
		doubt: make([]string, 1), used: make([]units.Energy, 1), resets: make([]int, 1),
		failed: make([]bool, 1), stood: make([]bool, 1)}
	still := rapl.Reading{Zone: rapl.Zone{Kind: rapl.Package}, Energy: 75, Resets: 1, Frozen: true}
	for i, s := range []struct {
		read  rapl.Reading
		slept time.Duration
		used  units.Energy
		blind bool
	}{
		{rapl.Reading{Energy: 10}, 0, 10, false},
		{rapl.Reading{Energy: 10, Err: errors.New("gone")}, 0, 0, true},
		{rapl.Reading{Energy: 40}, 0, 30, true}, // of two windows
		{rapl.Reading{Energy: 50}, 0, 10, false},
		{rapl.Reading{Energy: 50, Resets: 1}, 0, 0, true},
		{rapl.Reading{Energy: 60, Resets: 1}, 0, 10, false},
		{rapl.Reading{Energy: 70, Resets: 1}, time.Second, 10, true}, // the machine slept
		{rapl.Reading{Energy: 80, Resets: 1}, time.Second, 10, false},
		{rapl.Reading{Energy: 75, Resets: 1}, time.Second, 0, false},
		{still, time.Second, 0, true},
		{rapl.Reading{Energy: 76, Resets: 1}, time.Second, 1, false}, // it moves again
		{rapl.Reading{Energy: 90, Resets: 1, Power: 101}, time.Second, 14, true},
		{rapl.Reading{Energy: 95, Resets: 1}, time.Second, 5, true}, // not believed any more
	} {
		used, blind := m.window([]rapl.Reading{s.read}, s.slept)
		if used[0] != s.used || blind[0] != s.blind {
			t.Errorf("window %d: %d nJ, blind %v; want %d, %v", i, used[0], blind[0], s.used,
				s.blind)
		}
	}
}

func TestPlaces(t *testing.T) {
	p := packagesOf(&sysfs.Layout{Places: []sysfs.Place{{CPU: 0, Package: 3},
		{CPU: 1, Package: 5}, {CPU: 3, Package: 3}}})
	if !slices.Equal(p.of, []int{0, 1, 0, 0}) || p.count != 2 {
		t.Errorf("%+v", p)
	}
	if got := p.cpus(5); !slices.Equal(got, []energy.CPU{1}) {
		t.Errorf("package 5 is at %v", got)
	}
	if got := p.cpus(9); len(got) != 2 {
		t.Errorf("a package without CPUs is at %v", got)
	}
	if p := packagesOf(&sysfs.Layout{}); p.count != 1 {
		t.Errorf("no CPUs: %+v", p)
	}
}
