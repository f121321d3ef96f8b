//go:build amd64 && !race

package replay_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/governor/replay"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/simhost"
	"github.com/ebb-energy/ebb/simtest/workload"
	"github.com/ebb-energy/ebb/units"
)

// severalPrograms are the tenants of the recording several/sim-tenants. One loses records and is
// refused.
var severalPrograms = []struct {
	program string
	seed    uint64
	domain  arbiter.Domain
	from    time.Duration
	budget  units.Slowdown
	faults  hardware.FaultPlan
}{
	{"quick.managed", 1, 0, 0, 0.05, hardware.FaultPlan{}},
	{"quick.barriers", 2, 0, 10 * time.Millisecond, 0.2,
		hardware.FaultPlan{Lose: 1e-3, Refuse: 0.2}},
	{"quick.churn", 3, 1, 5 * time.Millisecond, 0.1, hardware.FaultPlan{}},
	{"quick.server", 4, 1, 0, 0.02, hardware.FaultPlan{}},
}

// simulateSeveral makes the recording of several programs.
func simulateSeveral(t *testing.T) []byte {
	t.Helper()
	p, err := hardware.ByName("haswell-ep")
	if err != nil {
		t.Fatal(err)
	}
	var programs []simhost.Program
	var cfg many.Config
	for i, x := range severalPrograms {
		o := simtest.Options{Seed: x.seed, Faults: x.faults, Counters: simhost.Counters(&p)}
		c := governor.Default()
		c.Slowdown, c.ByPhase = x.budget, false
		n := arbiter.Tenant(i + 1)
		cfg.Tenants = append(cfg.Tenants, many.Tenant{Number: n,
			Config: simhost.Configure(c, &p, &o)})
		w, err := workload.ByName(x.program)
		if err != nil {
			t.Fatal(err)
		}
		m, err := simtest.New(p, w, o)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		programs = append(programs, simhost.Program{Tenant: n, Domain: x.domain, Computer: m,
			From: x.from})
	}
	machine := simhost.NewMachine(programs)
	cfg.Domains = machine.Domains()
	var recording bytes.Buffer
	recorder, err := replay.NewTenantsRecorder(machine, cfg, &recording)
	if err != nil {
		t.Fatal(err)
	}
	g, err := many.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := governor.Run(t.Context(), g, recorder); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Finish(); err != nil {
		t.Fatal(err)
	}
	return recording.Bytes()
}

// TestSameSeveral makes the run of several programs again, and replays its recording: machine and
// governors do what they did when it was made.
func TestSameSeveral(t *testing.T) {
	const name = "several/sim-tenants"
	same(t, name, simulateSeveral(t))
	player, err := replay.NewPlayer(bytes.NewReader(devtest.UnpackedGolden(t,
		"testdata/"+name+".ebb.gz")))
	if err != nil {
		t.Fatal(err)
	}
	g, err := many.New(*player.Tenants())
	if err != nil {
		t.Fatal(err)
	}
	seen := observed{}
	if err := governor.Run(t.Context(), g, player, &seen); err != nil {
		t.Error(err)
	}
	if seen.ends != len(severalPrograms) || seen.requests < 10 || seen.decided < 20 ||
		seen.refused == 0 {
		t.Errorf("%+v", seen)
	}
}

// observed is what a run had: a recording that lacks one of these tests little.
type observed struct{ ends, requests, decided, refused int }

func (o *observed) Observe(ev *governor.Event, actions []governor.Action) {
	switch {
	case ev.Kind == governor.End:
		o.ends++
	case ev.Kind == governor.Applied && ev.Refusal != "":
		o.refused++
	}
	for _, a := range actions {
		switch {
		case a.Kind == governor.SetFrequency:
			o.requests++
		case a.Kind == governor.Decided:
			o.decided++
		}
	}
}
