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

// TestBlindWindows: a window is divided only if all that the meter counted is the window's. Each
// lasts a second.
func TestBlindWindows(t *testing.T) {
	m := &meters{zones: []energy.Zone{{Name: "package-0"}}, doubt: make([]string, 1),
		last: make([]last, 1)}
	standing := rapl.Reading{Zone: rapl.Zone{Kind: rapl.Package}, Energy: 99, Resets: 1,
		Sleeps: 1, Frozen: true}
	for i, s := range []struct {
		read  rapl.Reading
		used  units.Energy
		blind bool
	}{
		{rapl.Reading{Energy: 10}, 10, false},
		{rapl.Reading{Energy: 10, Err: errors.New("gone")}, 0, true},
		{rapl.Reading{Energy: 40}, 30, true}, // of two windows
		{rapl.Reading{Energy: 50}, 10, false},
		{rapl.Reading{Energy: 50, Resets: 1}, 0, true},
		{rapl.Reading{Energy: 60, Resets: 1}, 10, false},
		{rapl.Reading{Energy: 70, Resets: 1, Sleeps: 1}, 10, true},
		{rapl.Reading{Energy: 80, Resets: 1, Sleeps: 1}, 10, false},
		{rapl.Reading{Energy: 75, Resets: 1, Sleeps: 1}, 0, false}, // it stood
		{rapl.Reading{Energy: 90, Resets: 1, Sleeps: 1}, 15, true}, // of two windows
		{rapl.Reading{Energy: 95, Resets: 1, Sleeps: 1}, 5, false},
		{rapl.Reading{Energy: 95, Resets: 1, Sleeps: 1, Frozen: true}, 0, true},
		{rapl.Reading{Energy: 97, Resets: 1, Sleeps: 1}, 2, true},
		{rapl.Reading{Energy: 99, Resets: 1, Sleeps: 1}, 2, false},
		{standing, 0, true},
		{rapl.Reading{Energy: 99, Resets: 1, Sleeps: 1, Doubt: "why"}, 0, true},
		{rapl.Reading{Energy: 100, Resets: 1, Sleeps: 1}, 1, true}, // of two windows
		{rapl.Reading{Energy: 102, Resets: 1, Sleeps: 1}, 2, false},
	} {
		used, blind := m.window([]rapl.Reading{s.read})
		if used[0] != s.used || blind[0] != s.blind {
			t.Errorf("window %d: %d nJ, blind %v; want %d, %v", i, used[0], blind[0], s.used,
				s.blind)
		}
	}
}

// TestStillZone: a meter that has never moved is of a part that does nothing, and hides no other.
func TestStillZone(t *testing.T) {
	m := &meters{zones: []energy.Zone{{Name: "dram-0"}}, doubt: make([]string, 1),
		last: make([]last, 1)}
	for range 3 {
		if _, blind := m.window([]rapl.Reading{{Frozen: true}}); blind[0] {
			t.Error("a zone of 0 J is not known")
		}
	}
	// A graphics processor that wakes up is a part of the package, of which all is known.
	m.counted = []bool{false}
	if m.blind(&amounts{blind: []bool{true}}) {
		t.Error("a zone that no sum has is not known, and the machine's energy was not")
	}
	m.counted = []bool{true}
	if !m.blind(&amounts{blind: []bool{true}}) {
		t.Error("a zone is not known, and the machine's energy was")
	}
}

// TestDrop: a CPU that is offline is not idle.
func TestDrop(t *testing.T) {
	idle := []time.Duration{1, 2, 3, 4, 5}
	drop(idle, []sysfs.CPU{0, 2, 3})
	if !slices.Equal(idle, []time.Duration{1, 0, 3, 4, 0}) {
		t.Errorf("%v", idle)
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
