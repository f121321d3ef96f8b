package hardware_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// readings meters a second of a load; see gets the counters after every step.
func readings(
	t *testing.T, p *hardware.Profile, faults []hardware.RAPLFault, seed uint64, step time.Duration,
	see func(at hardware.Picoseconds, r *hardware.Counters),
) hardware.Energy {
	t.Helper()
	r := hardware.NewCounters(p.RAPL, faults, seed)
	m := hardware.NewMeter(&p.Power, p.Cores, r.Update)
	for at := hardware.Picoseconds(0); at.Since() < time.Second; at = m.Now() {
		f := p.States[int(at.Since()/(100*time.Millisecond))%len(p.States)]
		iv := hardware.Interval{Ns: float64(step), Frequency: f,
			Cores: make([]hardware.Activity, p.Cores), DRAMReads: 0.05 * float64(step)}
		for i := range iv.Cores {
			iv.Cores[i] = hardware.Activity{Running: true, Instructions: 4 * float64(step),
				StalledNs: 0.2 * float64(step)}
		}
		m.Account(&iv)
		see(m.Now(), r)
	}
	return m.Sum()
}

// TestRAPL: over a second every zone's counter, unwrapped from readings, shows the energy spent
// times its gain, within a millisecond's energy and its noise. hardware.Counters change once a
// millisecond and never fall.
func TestRAPL(t *testing.T) {
	for _, p := range hardware.Profiles() {
		for seed := range uint64(5) {
			r := hardware.NewCounters(p.RAPL, nil, seed)
			last, sum, changes := map[string]uint64{}, map[string]units.Energy{}, map[string]int{}
			for _, z := range r.Zones() {
				v, err := r.Read(z.Name, 0)
				if err != nil {
					t.Fatal(err)
				}
				last[z.Name] = v
			}
			step := 100 * time.Microsecond
			e := readings(t, &p, nil, seed, step, func(
				at hardware.Picoseconds, r *hardware.Counters,
			) {
				for _, z := range r.Zones() {
					v, err := r.Read(z.Name, at)
					if err != nil {
						t.Fatal(err)
					}
					d := z.Between(last[z.Name], v)
					if d > 10e9 { // 10 J in 0.1 ms: it went backwards
						t.Fatalf("%s, seed %d: %s went from %d to %d", p.Name, seed, z.Name,
							last[z.Name], v)
					}
					if v != last[z.Name] {
						changes[z.Name]++
					}
					sum[z.Name] += d
					last[z.Name] = v
				}
			})
			for name, got := range sum {
				want := map[string]units.Energy{"package": e.Package(), "core": e.Cores(),
					"dram": e.DRAM(), "psys": e.Total() + p.RAPL.Platform.For(time.Second)}[name]
				gain := 1.0
				if g, ok := p.RAPL.Gain[name]; ok {
					gain = g
				}
				if r := float64(got) / (float64(want) * gain); math.Abs(r-1) > 0.003 {
					t.Errorf("%s, seed %d: %s counted %v, %v was spent (gain %v)", p.Name, seed,
						name, got, want, gain)
				}
				if changes[name] > 1001 || changes[name] < 900 {
					t.Errorf("%s, seed %d: %s changed %d times in a second", p.Name, seed, name,
						changes[name])
				}
			}
		}
	}
}

// TestRAPLFaults: each fault shows, and only in its time.
func TestRAPLFaults(t *testing.T) {
	p := machine("paper")
	during := hardware.Span{From: 300 * time.Millisecond, To: 600 * time.Millisecond}
	for _, tc := range []struct {
		kind hardware.RAPLKind
		look func(t *testing.T, seen []uint64, gone []bool)
	}{
		{hardware.Stuck, func(t *testing.T, v []uint64, _ []bool) {
			if v[310] != v[590] || v[700] <= v[590] || v[200] >= v[290] {
				t.Errorf("%d at 0.31 s, %d at 0.59, %d at 0.7", v[310], v[590], v[700])
			}
			if j := float64(v[610]-v[590]) / float64(v[290]-v[200]) / (300.0 / 90); j < 0.5 ||
				j > 2 {
				t.Errorf("the jump at its end is %.2f of what was spent", j)
			}
		}},
		{hardware.Backwards, func(t *testing.T, v []uint64, _ []bool) {
			in, out := 0, 0
			for i := 1; i < len(v); i++ {
				if v[i] < v[i-1] {
					if i >= 300 && i <= 601 {
						in++
					} else {
						out++
					}
				}
			}
			if in < 5 || out > 0 {
				t.Errorf("backwards %d times in its time and %d out of it", in, out)
			}
		}},
		{hardware.Gone, func(t *testing.T, _ []uint64, gone []bool) {
			for i, g := range gone {
				if g != (i+1 >= 300 && i+1 < 600) {
					t.Fatalf("gone is %v at %d ms", g, i+1)
				}
			}
		}},
		{hardware.Wrapping, func(t *testing.T, v []uint64, _ []bool) {
			wraps := 0
			for i := 1; i < len(v); i++ {
				if v[i] < v[i-1] {
					wraps++
				}
			}
			if wraps != 1 || v[len(v)-1] > 1<<31 {
				t.Errorf("wrapped %d times, ends at %d", wraps, v[len(v)-1])
			}
		}},
	} {
		var seen []uint64
		var gone []bool
		// A seed that starts in the middle: only the fault called wrapping wraps.
		faults := []hardware.RAPLFault{{Span: during, Zone: "package", Kind: tc.kind}}
		readings(t, &p, faults, 1, time.Millisecond,
			func(at hardware.Picoseconds, r *hardware.Counters) {
				v, err := r.Read("package", at)
				if err != nil && !errors.Is(err, hardware.ErrNoZone) {
					t.Fatal(err)
				}
				seen, gone = append(seen, v), append(gone, err != nil)
			})
		tc.look(t, seen, gone)
	}
	r := hardware.NewCounters(p.RAPL, nil, 0)
	if _, err := r.Read("psys", 0); !errors.Is(err, hardware.ErrNoZone) {
		t.Errorf("a zone that the profile has not: %v", err)
	}
}
