package rapl

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// zoneTree writes a zone; attributes are "name=value".
func zoneTree(id, name string, attributes ...string) string {
	var b strings.Builder
	for _, a := range append([]string{"name=" + name, "energy_uj=1000000"}, attributes...) {
		file, value, _ := strings.Cut(a, "=")
		b.WriteString("file 0644 class/powercap/intel-rapl:" + id + "/" + file + "\n\t" + value +
			"\n")
	}
	return b.String()
}

func metersOf(t *testing.T, tree string) (*Meters, string, error) {
	t.Helper()
	dir := devtest.Tree(t, tree)
	fs, err := sysfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fs.Close() })
	m, err := open(fs, noPMU)
	if err == nil {
		t.Cleanup(func() { _ = m.Close() })
	}
	return m, dir, err
}

// TestRangesThatAreNone: a range that the driver does not know is a counter without wraps, and one
// that is no number is an error of one line, which names the file.
func TestRangesThatAreNone(t *testing.T) {
	for _, span := range []string{"0", "18446744073709551615", "9223372036854775807",
		"9223372036854775808", "9223372036854776", ""} {
		attributes := []string{"max_energy_range_uj=" + span}
		if span == "" {
			attributes = nil // no such file
		}
		m, dir, err := metersOf(t, zoneTree("0", "package-0", attributes...))
		if err != nil {
			t.Errorf("%q: %v", span, err)
			continue
		}
		if m.Period() != 0 {
			t.Errorf("%q: read every %v", span, m.Period())
		}
		m.Read(0, nil)
		set(t, dir, "intel-rapl:0", "3000000")
		m.Read(units.Instant(time.Second), nil)
		set(t, dir, "intel-rapl:0", "500000") // a fall
		m.Read(units.Instant(2*time.Second), nil)
		set(t, dir, "intel-rapl:0", "1500000")
		r := m.Read(units.Instant(3*time.Second), nil)[0]
		if r.Energy != 3e9 || r.Resets != 1 || r.Unknown != time.Second || r.Err != nil {
			t.Errorf("%q: %+v", span, r)
		}
	}
	for _, span := range []string{"x", "-1", "18446744073709551616"} {
		_, _, err := metersOf(t, zoneTree("0", "package-0", "max_energy_range_uj="+span))
		if !errors.Is(err, ErrNone) || !errors.Is(err, sysfs.ErrMalformed) ||
			!strings.HasPrefix(err.Error(), "no energy meter: read class/powercap/intel-rapl") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", span, err)
		}
	}
}

// TestCounted: power is taken from the zones of a machine with a package's meter.
func TestCounted(t *testing.T) {
	const span = "max_energy_range_uj=262143328850"
	intel := []string{span, "constraint_0_name=long_term"}
	pkg := zoneTree("0", "package-0", intel...)
	for name, c := range map[string]struct{ tree, names, why string }{
		"a package":           {pkg, "package-0", ""},
		"package and memory":  {pkg + zoneTree("0:0", "dram", span), "package-0 dram-0", ""},
		"the platform alone":  {zoneTree("0", "psys", span), "", "there is psys alone"},
		"platform, a package": {zoneTree("1", "psys", span) + pkg, "package-0 psys", ""},
		"a package that cannot be read": {zoneTree("1", "psys", span) + zoneTree("0", "package-0",
			"max_energy_range_uj=x"), "", "there is psys alone; not read: package-0, read class/"},
		"parts alone": {zoneTree("0", "package-0", "max_energy_range_uj=x",
			"constraint_0_name=long_term") + zoneTree("0:0", "core", span) +
			zoneTree("0:1", "dram", span), "", "is cores-0, dram-0 alone; not read: package-0"},
	} {
		m, _, err := metersOf(t, c.tree)
		if err != nil {
			t.Fatal(name, err)
		}
		names, why := m.Counted()
		if strings.Join(names, " ") != c.names || (why == "") != (c.why == "") ||
			!strings.Contains(why, c.why) {
			t.Errorf("%s: %v, %q; want %q and %q", name, names, why, c.names, c.why)
		}
	}
}

// TestOwnLimit: what a zone's constraints allow.
func TestOwnLimit(t *testing.T) {
	for _, c := range []struct {
		attributes string
		most       units.Power
	}{
		{"", 0},
		{"constraint_0_name=long_term", 0},
		{"constraint_0_max_power_uw=15000000", 30},
		{"constraint_0_power_limit_uw=20000000 constraint_0_max_power_uw=15000000", 40},
		{"constraint_0_max_power_uw=15000000 constraint_1_power_limit_uw=64000000", 80},
		{"constraint_0_max_power_uw=15000000 constraint_1_power_limit_uw=64000000 enabled=0", 0},
		{"constraint_0_max_power_uw=0 constraint_0_power_limit_uw=28000000 enabled=1", 56},
		{"constraint_0_max_power_uw=x", 0},
	} {
		m, _, err := metersOf(t, zoneTree("0", "package-0", strings.Fields(c.attributes)...))
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Zones()[0].Limit; got != c.most {
			t.Errorf("%s: %v, want %v", c.attributes, got, c.most)
		}
	}
}

// TestDoubt: the energy of a zone that shows more than it can draw, that stands still, or whose
// counter can have gone round unseen is not believed, and the reason is said.
func TestDoubt(t *testing.T) {
	const J = 1_000_000_000
	for name, c := range map[string]struct {
		kind  Kind
		span  units.Energy
		most  units.Power
		every time.Duration
		watts int64
		says  string
	}{
		"believed": {Package, 16 * J, 100, 50 * time.Millisecond, 80, ""},
		"more than it can": {Package, 65536 * J, 100, time.Second, 150,
			"package-0 shows 150 W, more"},
		"wraps within a reading": {Package, 16 * J, 168, 250 * time.Millisecond, 120,
			"right only up to 64 W"},
		"seldom, which short times exclude": {Package, 16 * J, 168, 12 * time.Millisecond, 50, ""},
		"seldom, and short times do not": {Package, 16 * J, 1000, 12 * time.Millisecond, 150,
			"right only up to 160 W"},
		"the whole machine": {Platform, 262144 * J, 20_000, time.Minute, 60, ""},
		"read rarely": {Package, 65536 * J, 250, 10 * time.Minute, 60,
			"right only up to 109.2 W"},
		"a counter without wraps": {Package, 0, 250, 10 * time.Minute, 60, ""},
		"stands still": {Package, 65536 * J, 250, 250 * time.Millisecond, 0,
			"package-0 stands still"},
		"graphics at rest": {Graphics, 65536 * J, 250, 250 * time.Millisecond, 0, ""},
	} {
		shown := units.Energy(0)
		at := int64(0)
		m := &Meters{sources: []*source{{Zone: Zone{Kind: c.kind}, meter: following{&shown},
			counter: counter{span: c.span}}}, clocks: stopped(&at)}
		m.Bound(func(*Zone) (units.Power, string) { return c.most, "it can draw" })
		var r []Reading
		for i := range 9 {
			if at += int64(c.every); i == 8 && strings.HasPrefix(name, "seldom") {
				at += int64(88 * time.Millisecond)
			}
			if shown = units.Energy(c.watts * at); c.span > 0 {
				shown %= c.span
			}
			r = m.Read(units.Instant(at), r[:0])
		}
		said := r[0].Doubt
		if !strings.Contains(said, c.says) || c.says == "" && said != "" {
			t.Errorf("%s: %q, want %q", name, said, c.says)
		}
	}
}

// TestStallsOfACounter: a counter that is seldom updated, or at times late, can go round while it
// stands. Its energy is right, or not believed.
func TestStallsOfACounter(t *testing.T) {
	const J = 1_000_000_000
	believed := 0
	for _, span := range []units.Energy{4 * J, 16 * J, 64 * J, 65_532_610_000, 65_536 * J} {
		for _, watts := range []int64{20, 60, 100, 150, 200, 250, 300} {
			for _, stall := range []time.Duration{time.Millisecond, 30 * time.Millisecond,
				107 * time.Millisecond, 200 * time.Millisecond, 450 * time.Millisecond} {
				for _, often := range []int{1, 20, 100} {
					off, said := stalls(span, watts, stall, often)
					if said == "" {
						believed++
					}
					if said == "" && math.Abs(off) > 0.02 {
						t.Errorf("range %v, %d W, each %dth update up to %v late: off by %.1f %%, "+
							"believed", span, watts, often, stall, 100*off)
					}
					if said != "" && stall == time.Millisecond && span > 4*J {
						t.Errorf("range %v, %d W, never late: %s", span, watts, said)
					}
				}
			}
		}
	}
	if believed < 200 {
		t.Errorf("%d of 525 cases are believed", believed)
	}
}

// stalls reads a package's meter for 20 s as often as it asks for. One in often of its updates,
// which come each millisecond, is late by up to stall.
func stalls(span units.Energy, watts int64, stall time.Duration, often int,
) (off float64, said string) {
	rng := rand.New(rand.NewPCG(uint64(span), uint64(watts)))
	shown := units.Energy(0)
	var now int64
	m := &Meters{clocks: stopped(&now)}
	m.take(Zone{Kind: Package}, following{&shown}, span, nil)
	m.Bound(func(*Zone) (units.Power, string) { return 1000, "any processor draws" })
	period := min(m.Period(), time.Second)
	var r []Reading
	update := units.Instant(0)
	const end = units.Instant(20 * time.Second)
	for at := units.Instant(0); at <= end; at = at.Add(period) {
		for update <= at {
			shown = units.Energy(watts*int64(update)) % span
			update = update.Add(time.Millisecond)
			if rng.IntN(often) == 0 {
				update = update.Add(time.Duration(rng.Int64N(int64(stall))))
			}
		}
		now = int64(at)
		r = m.Read(at, r[:0])
	}
	return float64(r[0].Energy)/float64(watts*int64(end)) - 1, r[0].Doubt
}

// TestOldFirstReading: the first value of a meter may be old, and the second is of a longer time
// than lies between the two readings. That is no reason to doubt it.
func TestOldFirstReading(t *testing.T) {
	const watts, ms = 80, int64(time.Millisecond)
	shown, now := units.Energy(0), int64(0)
	m := &Meters{clocks: stopped(&now)}
	m.take(Zone{Kind: Package}, following{&shown}, 65_536_000_000_000, nil)
	m.Bound(func(*Zone) (units.Power, string) { return 2 * watts, "it can draw" })
	for now = 100 * ms; now < 2000*ms; now += 5 * ms { // it is updated from 160 ms on
		if now >= 160*ms {
			shown = units.Energy(watts * now)
		}
		if r := m.Read(units.Instant(now), nil); r[0].Doubt != "" && shown > 0 {
			t.Fatalf("at %v: %s", time.Duration(now), r[0].Doubt)
		}
	}
	shown += 1_000_000_000 // more than it can
	now += 5 * ms
	for range 300 {
		shown, now = shown+units.Energy(3*watts*5*ms), now+5*ms
		m.Read(units.Instant(now), nil)
	}
	if r := m.Read(units.Instant(now), nil); r[0].Doubt == "" {
		t.Error("three times of what it draws is believed")
	}
}

// stopped is a clock that its test sets, of a machine that never sleeps.
func stopped(at *int64) func() (units.Instant, time.Duration) {
	return func() (units.Instant, time.Duration) { return units.Instant(*at), 0 }
}

// following is a meter that shows a value that its test sets.
type following struct{ at *units.Energy }

func (f following) read() (units.Energy, error) { return *f.at, nil }

func (f following) close() error { return nil }

// TestDoubtsAndTooFast: what doctor says of a package's counter that stands still, of one that
// shows too much, and of one that wraps within the shortest period.
func TestDoubtsAndTooFast(t *testing.T) {
	const J = 1_000_000_000
	rises, stands, leaps := units.Energy(0), units.Energy(7), units.Energy(0)
	m := &Meters{sources: []*source{
		{Zone: Zone{Kind: Package}, meter: rising{&rises, 1}, counter: counter{span: 16 * J}},
		{Zone: Zone{Kind: Package, Package: 1}, meter: following{&stands}},
		{Zone: Zone{Kind: Graphics}, meter: following{&stands}},
		{Zone: Zone{Kind: Memory}, meter: rising{&leaps, 10 * J}}}}
	bound := func(most units.Power) {
		m.Bound(func(*Zone) (units.Power, string) { return most, "it can draw" })
	}
	bound(100)
	got := m.Doubts()
	if len(got) != 2 || !strings.HasPrefix(got[0], "package-1 stands still") ||
		!strings.HasPrefix(got[1], "dram-0 shows ") {
		t.Errorf("doubts: %q", got)
	}
	m.sources[0].counter.span = 3 * J
	for most, want := range map[units.Power][]string{300: nil,
		400: {"package-0 wraps after 3 J, so it is right only up to 300 W"}} {
		bound(most)
		if got := m.TooFast(); !slices.Equal(got, want) {
			t.Errorf("at most %v: %q, want %q", most, got, want)
		}
	}
}

// rising is a meter that shows a step more at each reading.
type rising struct {
	at   *units.Energy
	step units.Energy
}

func (r rising) read() (units.Energy, error) { *r.at += r.step; return *r.at, nil }

func (r rising) close() error { return nil }
