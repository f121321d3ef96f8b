package simhost_test

import (
	"testing"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/workload"
	"github.com/ebb-energy/ebb/units"
)

// stream asks for much of what the memory gives.
var stream = simtest.Mix{Name: "stream", CPI: 0.5, Memory: 14, L3: 5, Ahead: 6, Stores: 100,
	StoreMisses: 2, Parallel: 4, Spread: 0.2}

// saturating is a program whose threads together ask for more than the memory gives: at a lower
// clock their requests wait less for each other, which predictions do not know.
func saturating() simtest.Workload {
	return simtest.Workload{Name: "saturating", Threads: 4, Build: func(b *simtest.Builder) {
		for range b.Threads() {
			b.Thread("app", simtest.App, func(t *simtest.Thread) {
				for range 5000 {
					t.Run(&stream, 200000+t.Rand().Int64N(100000))
				}
			})
		}
	}}
}

// TestLearnsTheBias: on a program whose predictions have a bias, probes and the changes that are
// made anyway find it. The run then uses more of the budget than without learning, and does not
// exceed it.
func TestLearnsTheBias(t *testing.T) {
	o := simtest.Options{Seed: 5,
		Counters: []string{"crit_offx", "sq_off", "instructions", "dram_rd"}}
	p, err := hardware.ByName("paper")
	if err != nil {
		t.Fatal(err)
	}
	top, err := simtest.Static(p, saturating(), simtest.Options{Seed: 5, Quiet: true}, p.Highest())
	if err != nil {
		t.Fatal(err)
	}
	slowdown := func(change func(*governor.Config)) (s float64, probes, leaning int) {
		r := govern(t, saturating(), o, change)
		for i := range r.quanta {
			if r.quanta[i].Reason == policy.ReasonProbe {
				probes++
			}
			if r.quanta[i].Bias < 0 {
				leaning++
			}
		}
		return float64(r.truth.Wall)/float64(top.Wall) - 1, probes, leaning
	}
	with, probes, leaning := slowdown(func(*governor.Config) {})
	without, p0, l0 := slowdown(func(c *governor.Config) { c.NoLearning = true })
	quiet, p1, _ := slowdown(func(c *governor.Config) { c.NoProbes = true })
	t.Logf("slowed by %.4f with learning (%d probes), %.4f without, %.4f without probes", with,
		probes, without, quiet)
	if probes == 0 || leaning == 0 || p0 != 0 || l0 != 0 || p1 != 0 {
		t.Errorf(
			"%d probes and %d quanta with a bias, %d and %d without learning, %d probes "+
				"without probes", probes, leaning, p0, l0, p1,
		)
	}
	if with < without+0.002 || with > 0.053 {
		t.Errorf("slowed by %.4f with learning, %.4f without; budget 0.05", with, without)
	}
}

// TestProbesWhereMuchRests: a program that spends much of its budget on the strength of a
// correction is compared with the highest frequency early, one that is corrected by little not in
// its first hundred quanta.
func TestProbesWhereMuchRests(t *testing.T) {
	first := func(name string) int {
		w, err := workload.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		o := simtest.Options{Seed: 5,
			Counters: []string{"crit_offx", "sq_off", "instructions", "dram_rd"}}
		r := govern(t, w, o, func(c *governor.Config) { c.Slowdown = 0.1 })
		for i := range r.quanta {
			if r.quanta[i].Reason == policy.ReasonProbe {
				return i
			}
		}
		return len(r.quanta)
	}
	much, little := first("bandwidth"), first("lusearch.fix")
	t.Logf("first probes after %d and %d quanta", much, little)
	if much > 40 {
		t.Errorf("the first probe of a program that lives on a correction came after %d quanta",
			much)
	}
	if little < 100 {
		t.Errorf("a program that is corrected by little was probed after %d quanta", little)
	}
}

// TestMeteredEnergyIsNearTheTruth: the governor gets the energy counters' readings, of the package
// and of the cores in it, which rise, end near the truth and are not the truth.
func TestMeteredEnergyIsNearTheTruth(t *testing.T) {
	var m metered
	m.run = govern(t, saturating(), simtest.Options{Seed: 3, Counters: simulatorCounters},
		func(*governor.Config) {}, &m)
	if len(m.readings) < 50 {
		t.Fatalf("%d readings", len(m.readings))
	}
	truth := &m.run.truth.Energy
	for _, zone := range []struct {
		name  string
		of    func(*governor.Event) units.Energy
		truth units.Energy
	}{
		{"package", func(ev *governor.Event) units.Energy { return ev.Package }, truth.Package()},
		{"cores", func(ev *governor.Event) units.Energy { return ev.Cores }, truth.Cores()},
	} {
		var last units.Energy
		for i := range m.readings {
			e := zone.of(&m.readings[i])
			if e < last {
				t.Fatalf("%s: %v after %v", zone.name, e, last)
			}
			last = e
		}
		if float64(last) < 0.95*float64(zone.truth) || last > zone.truth+zone.truth/20 ||
			last == zone.truth {
			t.Errorf("%s: %v metered, the truth is %v", zone.name, last, zone.truth)
		}
	}
}

// metered keeps what the energy meters showed.
type metered struct {
	run      *run
	readings []governor.Event
}

func (m *metered) Observe(ev *governor.Event, _ []governor.Action) {
	if ev.Kind == governor.Metered {
		m.readings = append(m.readings, *ev)
	}
}
