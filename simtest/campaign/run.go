package campaign

import (
	"bytes"
	"crypto/sha256"
	"math/rand/v2"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/replay"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/simhost"
)

// Result is the outcome of a run.
type Result struct {
	Broken []Broken // rules that did not hold
	Truth  *simtest.Truth
	Events int
	Quanta int // decided
	Holes  int
	Stale  int               // holes because they were decided too late
	Trace  [sha256.Size]byte // hash of everything that passed between governor and machine
	// Recording has the run's events and actions, as governor/replay writes them.
	Recording []byte
}

// Run runs a case. It returns an error if the case cannot run at all.
func Run(c *Case) (*Result, error) { return run(c, &tamper{}) }

func run(c *Case, with *tamper) (*Result, error) {
	m, err := simtest.New(c.Profile, c.Workload, c.Options)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	g, err := governor.New(c.Config)
	if err != nil {
		return nil, err
	}
	var recording bytes.Buffer
	simulated := simhost.New(m)
	reader := &lateReader{m: simulated, often: c.Late,
		rng: rand.New(rand.NewPCG(c.Seed, 0x6c617465))}
	recorder, err := replay.NewRecorder(reader, c.Config, &recording)
	if err != nil {
		return nil, err
	}
	shown := c.Options
	if with.options != nil {
		with.options(&shown)
	}
	w := watch{c: c, m: m, with: with, machine: newInvariants(c.Profile, shown),
		energy: newEnergyAudit(m, &shown.Faults), audit: newAudit(c)}
	g.Epochs(func(e *epochs.Epoch) {
		if with.epoch == nil || with.epoch(e) {
			w.audit.epoch(e)
		}
	})
	if err := w.run(g, recorder); err != nil {
		return nil, err
	}
	if !with.noRestore {
		if err := simulated.Restore(); err != nil {
			w.audit.fail("restore", "%v", err)
		}
	}
	w.finish()
	if err := recorder.Finish(); err != nil {
		return nil, err
	}
	return &Result{
		Broken: w.broken(), Truth: m.Truth(), Events: w.events,
		Quanta: w.audit.quanta, Holes: w.audit.holes, Stale: w.audit.stale,
		Recording: recording.Bytes(), Trace: sha256.Sum256(recording.Bytes()),
	}, nil
}
