//go:build amd64 && !race

package replay_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/replay"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/campaign"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/simhost"
	"github.com/ebb-energy/ebb/simtest/workload"
)

// simulated are the recordings of simulated machines. Each ends after 0.8 s of simulated time, or
// with its program.
var simulated = []struct {
	name, profile, program string
	options                simtest.Options
	change                 func(*governor.Config)
}{
	// The bias of the predictions is learned, and probes check it.
	{"sim-learning", "paper", "bandwidth", simtest.Options{Seed: 5,
		Counters: []string{"crit_offx", "sq_off", "instructions", "dram_rd"}},
		func(c *governor.Config) { c.Slowdown = 0.1 }},
	{"sim-exact", "paper", "phases", simtest.Options{Seed: 2, Counters: []string{"crit_offx",
		"crit_dramx", "fetch_off", "sq_off", "insts", "dram_rd"}}, asIs},
	// The counters of real processors: the non-scaling time has two bounds.
	{"sim-bracket", "haswell-ep", "xalan", simtest.Options{Seed: 3},
		func(c *governor.Config) { c.Slowdown = 0.1 }},
	{"sim-system-energy", "haswell-ep", "pmd", simtest.Options{Seed: 4},
		func(c *governor.Config) { c.Objective, c.Power.Platform = governor.SystemEnergy, 15 }},
	{"sim-as-printed", "paper", "lusearch", simtest.Options{Seed: 5, HoldOff: 2},
		func(c *governor.Config) { c.Rule, c.Predictor.Model = policy.AsPrinted, "dep+burst" }},
	{"sim-error-bar", "paper", "server", simtest.Options{Seed: 6},
		func(c *governor.Config) { c.Margin, c.NoProbes = policy.Margin{ErrorBar: true}, true }},
	// The clock ignores requests and confirms them.
	{"sim-unreported", "haswell-ep", "phases", simtest.Options{Seed: 7, Clamp: true,
		Faults: hardware.FaultPlan{Unreported: true, Ignore: 0.4,
			Deaf: []hardware.Span{{From: 200 * time.Millisecond,
				To: 330 * time.Millisecond}}}}, asIs},
	// Something limits the clock and the machine does not report it.
	{"sim-limited", "haswell-ep", "phases", simtest.Options{Seed: 8, Clamp: true,
		Faults: hardware.FaultPlan{Unreported: true, Caps: []hardware.Cap{{
			From: 100 * time.Millisecond,
			To:   400 * time.Millisecond, Max: 1.6e9}}}}, asIs},
}

func asIs(*governor.Config) {}

// faulty are the seeds of cases of simtest/campaign that are recorded as campaign-SEED.
var faulty = []uint64{2, 12, 15, 19, 20}

// TestSameSimulatedRuns makes the simulated runs again. Machine and governor do what they did when
// their recordings were made.
func TestSameSimulatedRuns(t *testing.T) {
	for _, s := range simulated {
		t.Run(s.name, func(t *testing.T) {
			p, err := hardware.ByName(s.profile)
			if err != nil {
				t.Fatal(err)
			}
			w, err := workload.ByName(s.program)
			if err != nil {
				t.Fatal(err)
			}
			if s.options.Counters == nil {
				s.options.Counters = simhost.Counters(&p)
			}
			cfg := simhost.Configure(governor.Default(), &p, &s.options)
			cfg.ByPhase = false // as when they were recorded
			s.change(&cfg)
			same(t, s.name, simulate(t, p, w, s.options, cfg))
		})
	}
	for _, seed := range faulty {
		name := fmt.Sprintf("campaign-%d", seed)
		t.Run(name, func(t *testing.T) {
			c := campaign.Draw(seed)
			c.Config.ByPhase = false
			r, err := campaign.Run(&c)
			if err != nil {
				t.Fatal(err)
			}
			same(t, name, r.Recording)
		})
	}
}

func simulate(
	t *testing.T, p hardware.Profile, w simtest.Workload, o simtest.Options, cfg governor.Config,
) []byte {
	t.Helper()
	m, err := simtest.New(p, w, o)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	g, err := governor.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var recording bytes.Buffer
	recorder, err := replay.NewRecorder(simhost.New(m), cfg, &recording)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = governor.Run(ctx, g, recorder, &bound{g: g, end: cancel})
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := recorder.Finish(); err != nil {
		t.Fatal(err)
	}
	return recording.Bytes()
}

// bound ends a run after 0.8 s of simulated time.
type bound struct {
	g   *governor.Governor
	end func()
}

func (b *bound) Observe(ev *governor.Event, _ []governor.Action) {
	if ev.Kind == governor.Sched && ev.Sched.Kind != epochs.Lost &&
		ev.Sched.At.Sub(b.g.Start()) > 800*time.Millisecond {
		b.end()
	}
}

// same compares a recording with the committed one of that name.
func same(t *testing.T, name string, got []byte) {
	t.Helper()
	path := "testdata/" + name + ".ebb.gz"
	if devtest.Updating() {
		pack(t, path, got)
		return
	}
	want := afterHeader(t, devtest.UnpackedGolden(t, path))
	got = afterHeader(t, got)
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("the run differs from %s at byte %d of %d after the header", path, i,
				len(want))
		}
	}
	if len(got) != len(want) {
		t.Errorf("the run has %d bytes after the header, %s has %d", len(got), path, len(want))
	}
}

func pack(t *testing.T, path string, recording []byte) {
	t.Helper()
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(recording); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
