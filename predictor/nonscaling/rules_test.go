package nonscaling

import (
	"math"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

// TestDraining: how far a faster core shortens a stretch in which stores were outstanding all the
// time, and for a fifth of it the queue was full and held it up.
func TestDraining(t *testing.T) {
	for _, tt := range []struct {
		name     string
		oneByOne int64
		want     float64
	}{
		{"nobody counts stores", 0, 0.2*1000 + 0.8*200},
		{"as long as the queue needs", 1000, 1000},
		{"the queue would need less", 700, 700},
		{"it needed less than it is said to", 2000, 1000},
		{"no less than it was full", 100, 0.2*1000 + 0.8*200},
	} {
		p := Parts{Dur: 1000, Stall: 200, Out: 1000, OneByOne: tt.oneByOne}
		m := DefaultLatencies()
		l := p.Line(&m)
		if got := l.At(1e-9, 0); math.Abs(got-tt.want) > 1e-3 {
			t.Errorf("%s: at least %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestSecondCaches: accesses on the chip that take 18.7 ns are hits, slower ones a mixture with
// lines from second caches, and only where recent ones are slower too.
func TestSecondCaches(t *testing.T) {
	offcore := Estimators()[0]
	columns := Columns(offcoreColumns)
	lo := func(without Rules, base, before, ns float64) float64 {
		s, err := offcore.New(Options{Latencies: DefaultLatencies(), Unit: epochs.Picosecond,
			Without: without}, columns)
		if err != nil {
			t.Fatal(err)
		}
		s.Rebase(base)
		// rows with 1000 accesses of so many ns each, and of that many lookups
		split := func(ns float64) int64 {
			v := make([]int64, len(columns))
			v[columns.Index("crit_offx")] = int64(1e6 * ns)
			v[columns.Index("crit_off")] = int64(1e6 * (ns + 44.0/3*1e9/base))
			p, _ := s.Split(v, 1e9)
			return p.Lo
		}
		for range 20 {
			split(before)
		}
		return float64(split(ns)) / 1e6 // ns of an access that do not scale
	}
	for _, tt := range []struct {
		name             string
		without          Rules
		base, before, ns float64
		want             float64
	}{
		{"hits", 0, 1e9, 18.6, 18.6, 18.6},
		{"second caches", 0, 1e9, 23.8, 23.8, 3.6},
		{"half and half", 0, 1e9, 21.23, 21.23, 21.23 - 20.2/2},
		{"left out", SecondCaches, 1e9, 23.8, 23.8, 23.8},
		{"at 4 GHz a line comes sooner than a hit", 0, 4e9, 23.8, 23.8, 23.8},
	} {
		if got := lo(tt.without, tt.base, tt.before, tt.ns); math.Abs(got-tt.want) > 0.25 {
			t.Errorf("%s: %v ns of an access do not scale, want %v", tt.name, got, tt.want)
		}
	}
	if got := lo(0, 1e9, 14, 14.0); got > 5 {
		t.Errorf("lines from first caches: %v ns of an access do not scale", got)
	}
}

// TestSlowRows: a row slower than hits has none, also where recent accesses were as fast as lines
// from first caches.
func TestSlowRows(t *testing.T) {
	for _, tt := range []struct {
		name    string
		without Rules
		ns      float64
		looks   float64
		lo      float64
	}{
		{"no slower than hits that wait", 0, 20, 1, 20},
		{"slower", 0, 23.8, 1, 3.6},
		{"much slower", 0, 47.6, 1, 7.2},
		{"looked up in the row before", 0, 10, 0, 1.5},
		{"left out", SlowRows, 23.8, 1, 23.8},
	} {
		s := offcoreAt(t, Options{Without: tt.without}, 1e9)
		split := func(ns, looks float64) int64 {
			p, _ := s.Split(offcoreRow(map[string]int64{"crit_offx": int64(1e4 * ns),
				"crit_off": int64(1e4 * (ns + looks*44/3))}), 1e9)
			return p.Lo
		}
		for range 200 {
			split(13, 1)
		}
		if got := float64(split(tt.ns, tt.looks)) / 1e4; math.Abs(got-tt.lo) > 0.1 {
			t.Errorf("%s: %v ns of an access do not scale, want %v", tt.name, got, tt.lo)
		}
	}
}

// TestQueueFillings: stores drain one line after the other, or one filling of the queue after the
// other where the queue holds several lines.
func TestQueueFillings(t *testing.T) {
	const line = 65_666 // ps
	memory := DefaultLatencies().MemoryNs * 1000
	for _, tt := range []struct {
		name           string
		stores, insts  int64
		reads, loads   int64 // lines that memory read, loads that missed
		waitedForLoads float64
		want           float64 // lines one after the other
	}{
		{"a line's stores and others fill the queue", 8000, 256_000, 1000, 0, 0, 1000},
		{"two lines do", 8000, 128_000, 1000, 0, 0, 500},
		{"only stores that miss", 8000, 8000, 1000, 0, 0, 250},
		{"sixteen stores a line", 16_000, 512_000, 1000, 0, 0, 1000},
		{"lines of others besides", 8000, 256_000, 2000, 0, 0, 1000},
		{"loads that were waited for", 16_000, 512_000, 3000, 2000, 2000, 1000},
		{"loads that overlapped", 16_000, 1_024_000, 3000, 2000, 500, 2500},
		{"scattered stores", 1000, 256_000, 1000, 0, 0, 1000},
		{"no more than bytes in a line", 64_000, 8_192_000, 100, 0, 0, 1000},
		{"too few lines to say", 160, 5120, 10, 0, 0, 20},
	} {
		s := offcoreAt(t, Options{Burst: true}, 1e9)
		row := offcoreRow(map[string]int64{"st_dram": tt.stores, "insts": tt.insts,
			"dram_rd": tt.reads, "ld_dram": tt.loads, "rfo_off": 1e12, "rfo_dram": 1e12,
			"crit_dramx": int64(tt.waitedForLoads*memory + 0.5)})
		s.(Looker).Look(&epochs.Epoch{Dur: 1e12, Rows: []epochs.Row{{Thread: 1, Values: row}}})
		p, _ := s.Split(row, 1e12)
		if got := float64(p.OneByOne) / line; math.Abs(got/tt.want-1) > 1e-3 {
			t.Errorf("%s: %v lines one after the other, want %v", tt.name, got, tt.want)
		}
	}
}

// storeColumns are those of offcore with all that it can use.
var storeColumns = Columns(append(append([]string{}, offcoreColumns...), "rfo_off", "rfo_dram",
	"st_dram", "dram_rd", "ld_dram"))

func offcoreAt(t *testing.T, opt Options, base float64) Splitter {
	t.Helper()
	opt.Latencies, opt.Unit = DefaultLatencies(), epochs.Picosecond
	offcore := Estimators()[0]
	s, err := offcore.New(opt, storeColumns)
	if err != nil {
		t.Fatal(err)
	}
	s.Rebase(base)
	return s
}

func offcoreRow(values map[string]int64) []int64 {
	v := make([]int64, len(storeColumns))
	for name, x := range values {
		v[storeColumns.Index(name)] = x
	}
	return v
}
