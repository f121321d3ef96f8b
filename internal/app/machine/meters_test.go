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
		last: []last{{judge: judge{most: 100}}}}
	standing := rapl.Reading{Zone: rapl.Zone{Kind: rapl.Package}, Energy: 99, Resets: 1,
		Frozen: true}
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
		{rapl.Reading{Energy: 80, Resets: 1}, 0, 10, false},
		{rapl.Reading{Energy: 75, Resets: 1}, 0, 0, false}, // it stood
		{rapl.Reading{Energy: 90, Resets: 1}, 0, 15, true}, // of two windows
		{rapl.Reading{Energy: 95, Resets: 1}, 0, 5, false},
		{rapl.Reading{Energy: 95, Resets: 1, Frozen: true}, 0, 0, true},
		{rapl.Reading{Energy: 97, Resets: 1}, 0, 2, true},
		{rapl.Reading{Energy: 99, Resets: 1}, 0, 2, false},
		{standing, 0, 0, true},
		{rapl.Reading{Energy: 99, Resets: 1, Sure: 10}, 0, 0, true}, // it may have wrapped unseen
		{rapl.Reading{Energy: 100, Resets: 1}, 0, 1, true},          // of two windows
		{rapl.Reading{Energy: 102, Resets: 1}, 0, 2, false},
	} {
		m.from = units.Instant(i+1) * 1e9
		m.to = m.from + 1e5
		used, blind := m.window([]rapl.Reading{s.read}, s.slept)
		if used[0] != s.used || blind[0] != s.blind {
			t.Errorf("window %d: %d nJ, blind %v; want %d, %v", i, used[0], blind[0], s.used,
				s.blind)
		}
	}
}

// TestStillZone: a meter that has never moved is of a part that does nothing, and hides no other.
func TestStillZone(t *testing.T) {
	m := &meters{zones: []energy.Zone{{Name: "dram-0"}}, doubt: make([]string, 1),
		last: []last{{judge: judge{most: 100}}}}
	for range 3 {
		if _, blind := m.window([]rapl.Reading{{Frozen: true}}, 0); blind[0] {
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

// TestDoubt: a meter is not believed for a minute once it has shown more than it can. A suspend, a
// reset, and a reader that had to wait are no reason.
func TestDoubt(t *testing.T) {
	const second = 1e9
	type window struct {
		from, to float64      // s
		joules   units.Energy // since the begin
		broken   bool
		doubted  bool
	}
	for what, windows := range map[string][]window{
		"suspended for an hour": {{1, 1, 100, false, false}, {2, 2, 1900, true, false},
			{3, 3, 2000, false, false}, {4, 4, 2100, false, false}},
		"read 0.5 s late, at the power limit": {{1, 1, 100, false, false},
			{2, 2.5, 250, false, false}, {3, 3, 300, false, false}, {4, 4, 400, false, false}},
		"too much, and right for a minute": {{1, 1, 100, false, false}, {2, 2, 301, false, true},
			{3, 3, 400, false, true}, {61.9, 61.9, 5000, false, true},
			{62.9, 62.9, 5100, false, false}, {63.9, 63.9, 5200, false, false}},
		"too much twice": {{1, 1, 301, false, true}, {2, 2, 401, false, true},
			{3, 3, 700, false, true}, {62, 62, 800, false, true}, {63, 63, 900, false, false}},
		"windows shorter than a second": {
			{0.1, 0.1, 30, false, false}, {0.9, 0.9, 90, false, false},
			{1.1, 1.1, 110, false, false}, {1.6, 1.6, 250, false, false},
			{2.2, 2.2, 300, false, true}},
	} {
		j := judge{most: 110}
		j.see("package-0", 0, 1, 1, true)
		for i, w := range windows {
			j.see("package-0", w.joules*second, units.Instant(1+w.from*second),
				units.Instant(1+w.to*second), w.broken)
			if got := j.why != ""; got != w.doubted {
				t.Errorf("%s, window %d: doubted %v: %s", what, i, got, j.why)
			}
		}
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
