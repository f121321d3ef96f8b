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
		{"one by one", 1000, 1000},
		{"further apart", 700, 1000},
		{"two at a time", 2000, 500},
		{"ten at a time, as far as the queue was full", 10_000, 0.2*1000 + 0.8*200},
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
