package hardware

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// TestProfilesAreValidAndNamed: every profile is valid, is found by its name, and has as many
// states as its documentation says.
func TestProfilesAreValidAndNamed(t *testing.T) {
	want := map[string]int{"paper": 25, "paper-500": 7, "haswell-ep": 19, "rome": 3, "hwp": 21,
		"leaky": 25}
	for _, p := range Profiles() {
		if err := p.Validate(); err != nil {
			t.Error(err)
		}
		if got, err := ByName(p.Name); err != nil || got.What != p.What {
			t.Errorf("%s: found %q, %v", p.Name, got.What, err)
		}
		if len(p.States) != want[p.Name] {
			t.Errorf("%s: %d states, want %d", p.Name, len(p.States), want[p.Name])
		}
		delete(want, p.Name)
		for n := 1; n <= MaxCores; n++ {
			q := p.WithCores(n)
			if err := q.Validate(); err != nil {
				t.Error(err)
			}
			per := q.Bandwidth() / float64(n) / (p.Bandwidth() / float64(p.Cores))
			if per < 0.999 || per > 1.001 {
				t.Errorf("%s with %d cores: a core's bandwidth is %.3f of what it was", p.Name, n,
					per)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	if _, err := ByName("abacus"); err == nil ||
		!strings.Contains(err.Error(), "haswell-ep") {
		t.Errorf("an unknown name: %v", err)
	}
	p, _ := ByName("rome")
	if !slices.Equal(p.States, []units.Frequency{1500 * mhz, 2200 * mhz, 2500 * mhz}) ||
		!p.Offers(2200*mhz) || p.Offers(2*ghz) {
		t.Errorf("rome's states: %v", p.States)
	}
}

func TestValidateProfile(t *testing.T) {
	for says, change := range map[string]func(*Profile){
		"0 cores":         func(p *Profile) { p.Cores = 0 },
		"9 cores":         func(p *Profile) { p.Cores = 9 },
		"no states":       func(p *Profile) { p.States = nil },
		"do not ascend":   func(p *Profile) { p.States = []units.Frequency{2 * ghz, 2 * ghz} },
		"reorder buffer":  func(p *Profile) { p.ROB = 0 },
		"time of a line":  func(p *Profile) { p.LineNs = 0 },
		"negative time":   func(p *Profile) { p.Transition.Ramp = -1 },
		"no voltages":     func(p *Profile) { p.Power.Voltages = nil },
		"voltages do not": func(p *Profile) { p.Power.Voltages[1].Volts = 0.1 },
		"core leakage":    func(p *Profile) { p.Power.Core.Static = -1 },
		"share above":     func(p *Profile) { p.Power.Core.Gated = 1.5 },
		"no energy zone":  func(p *Profile) { p.RAPL.Zones = []string{"gpu"} },
		"energy counters": func(p *Profile) { p.RAPL.Unit = 0 },
	} {
		p := paper()
		change(&p)
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want something about %q", err, says)
		}
	}
}

// TestTransitionLatencies holds the profiles to the measurements that they cite: the latency of
// requests at random times on many machines.
func TestTransitionLatencies(t *testing.T) {
	const seed = 4
	for _, tc := range []struct {
		profile             string
		p5, p50, p95, least time.Duration
		most                time.Duration
	}{
		// Hackenberg 2015: 21 to 524 us.
		{"haswell-ep", 47 * time.Microsecond, 272 * time.Microsecond, 498 * time.Microsecond,
			21 * time.Microsecond, 524 * time.Microsecond},
		// Rome: p5 404 to 451 us, median 851 to 902, p95 1312 to 1355.
		{"rome", 428 * time.Microsecond, 878 * time.Microsecond, 1328 * time.Microsecond,
			378 * time.Microsecond, 1379 * time.Microsecond},
		{"paper", 0, 0, 0, 0, 0},
	} {
		p, err := ByName(tc.profile)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, 0))
		var d []time.Duration
		for range 200 {
			q := p.Transition
			phase := q.Phase(r)
			for range 100 {
				d = append(d, q.Delay(r, time.Duration(r.Int64N(1e9)), phase))
			}
		}
		slices.Sort(d)
		near := func(what string, got, want time.Duration) {
			if (got - want).Abs() > 10*time.Microsecond {
				t.Errorf("seed %d: %s: %s %v, want %v", seed, tc.profile, what, got, want)
			}
		}
		near("p5", d[len(d)/20], tc.p5)
		near("median", d[len(d)/2], tc.p50)
		near("p95", d[len(d)*19/20], tc.p95)
		if d[0] < tc.least || d[len(d)-1] > tc.most {
			t.Errorf("seed %d: %s: from %v to %v", seed, tc.profile, d[0], d[len(d)-1])
		}
	}
}

// TestChangesLieOnOneGrid: on one machine changes lie on one grid.
func TestChangesLieOnOneGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	p := rome()
	phase := p.Transition.Phase(r)
	at := make(map[time.Duration]bool)
	for range 1000 {
		now := time.Duration(r.Int64N(1e9))
		at[(now+p.Transition.Delay(r, now, phase))%p.Transition.Grid] = true
	}
	if len(at) != 1 {
		t.Errorf("changes at %d different places of the grid", len(at))
	}
}

func TestAutonomous(t *testing.T) {
	p := hwp()
	for _, tc := range []struct {
		busy        float64
		floor, want units.Frequency
	}{
		{1, 800 * mhz, 4800 * mhz}, {0.5, 800 * mhz, 4800 * mhz}, {0, 800 * mhz, 800 * mhz},
		{0, 2 * ghz, 2 * ghz}, {0.25, 800 * mhz, 2800 * mhz}, {0.1, 4 * ghz, 4 * ghz},
	} {
		if got := p.Autonomous(tc.busy, tc.floor); got != tc.want {
			t.Errorf("%v busy above %v: %v, want %v", tc.busy, tc.floor, got, tc.want)
		}
	}
}
