package baseline

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

const mhz = units.Frequency(1_000_000)

// paperTable is 1 to 4 GHz in steps of 125 MHz.
func paperTable() Table {
	var t Table
	for f := 1000 * mhz; f <= 4000*mhz; f += 125 * mhz {
		t = append(t, f)
	}
	return t
}

func paperDomain() Domain {
	return Domain{Table: paperTable(), Cores: 4, Delay: 3 * time.Microsecond}
}

// drive plays loads (percent busy of each core in turn; shorter rows repeat the last value) to a
// controller, one per period, and gives the clock after each.
func drive(c Controller, cores int, loads [][]int) []units.Frequency {
	s := Sample{At: 1e9, Frequency: c.Initial(), Busy: make([]time.Duration, cores)}
	c.Sample(&s)
	var out []units.Frequency
	for _, row := range loads {
		s.At = s.At.Add(c.Period())
		s.Busy = append([]time.Duration(nil), s.Busy...)
		for i := range s.Busy {
			s.Busy[i] += c.Period() * time.Duration(row[min(i, len(row)-1)]) / 100
		}
		if f, ok := c.Sample(&s); ok {
			s.Frequency = f
		}
		out = append(out, s.Frequency)
	}
	return out
}

func check(t *testing.T, got []units.Frequency, wantMHz ...int) {
	t.Helper()
	for i, w := range wantMHz {
		if i >= len(got) || got[i] != units.Frequency(w)*mhz {
			t.Fatalf("step %d: got %v, want MHz %v", i, got, wantMHz)
		}
	}
}

func TestTable(t *testing.T) {
	table := Table{1000, 1500, 2200}
	for _, tc := range []struct{ f, least, most, closest units.Frequency }{
		{900, 1000, 1000, 1000}, {1000, 1000, 1000, 1000}, {1100, 1500, 1000, 1000},
		{1250, 1500, 1000, 1000},
		{1251, 1500, 1000, 1500}, {1500, 1500, 1500, 1500}, {2000, 2200, 1500, 2200},
		{2200, 2200, 2200, 2200}, {9000, 2200, 2200, 2200},
	} {
		if l, m, c := table.atLeast(tc.f), table.atMost(tc.f), table.closest(tc.f); l != tc.least ||
			m != tc.most || c != tc.closest {
			t.Errorf("%d: at least %d, at most %d, closest %d; want %+v", tc.f, l, m, c, tc)
		}
	}
}

func TestDefaults(t *testing.T) {
	if r := samplingRate(paperDomain()); r != 8*time.Millisecond {
		t.Errorf("sampling rate %v", r)
	}
	if r := samplingRate(Domain{Delay: 20 * time.Millisecond}); r != 20*time.Millisecond {
		t.Errorf("sampling rate of a slow driver: %v", r)
	}
	for _, name := range Names() {
		c, err := ByName(name, paperDomain())
		if err != nil || c.Name() != name {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	if _, err := ByName("interactive", paperDomain()); err == nil {
		t.Error("an unknown governor is there")
	}
}

// TestToldBeginsAtFirstAndChangesOnce: it keeps its first frequency at the first sample, and
// requests the second frequency at the second sample, once.
func TestToldBeginsAtFirstAndChangesOnce(t *testing.T) {
	c := NewInformed(2125*mhz, 1750*mhz, 5*time.Millisecond)
	if c.Initial() != 2125*mhz || c.Period() != 5*time.Millisecond {
		t.Errorf("begins at %v, looks each %v", c.Initial(), c.Period())
	}
	check(t, drive(c, 1, [][]int{{100}, {0}, {100}}), 1750, 1750, 1750)
	s := Sample{Frequency: 1750 * mhz}
	if f, ok := c.Sample(&s); ok {
		t.Errorf("requests %v again", f)
	}
	fresh := NewInformed(2125*mhz, 1750*mhz, 5*time.Millisecond)
	if f, ok := fresh.Sample(&Sample{Frequency: 2125 * mhz}); ok {
		t.Errorf("requests %v at its first sample", f)
	}
}
