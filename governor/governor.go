package governor

import (
	"fmt"
	"slices"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor/clockwatch"
	"github.com/ebb-energy/ebb/governor/coalesce"
	"github.com/ebb-energy/ebb/governor/correction"
	"github.com/ebb-energy/ebb/governor/saving"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
	"github.com/ebb-energy/ebb/units"
)

// Governor is the core. The zero value is of no use; New makes one. It is for one goroutine.
type Governor struct {
	cfg     Config
	columns columns
	sink    func(*epochs.Epoch) // consumer of the epochs; nil where nobody sees them

	// Scheduler events become epochs, and epochs quanta.
	reorder   *epochs.Reorder
	assembler *epochs.Assembler
	grid      grid
	start     units.Instant // begin of the target's time; 0 before
	now       units.Instant // everything up to here has been delivered; now >= fed
	fed       units.Instant // events up to here have been taken in
	seen      units.Instant // the latest event's time; it may be later than fed
	delivered delivered
	current   tally  // the quantum that is being filled
	closing   *tally // nil, or &spare: the quantum before, cut, whose last slices are still open
	spare     tally

	// The road of a decision passes these in their order; see decide.
	traffic   traffic
	overhead  overhead
	computing computing
	watch     clockwatch.Watch
	sampled   *sensitivity.Log     // samples so far; nil without Config.Functions
	predictor *predictor.Predictor // holds the epochs of the quantum in decision or being filled
	corrector correction.Corrector
	view      correction.View // corrected predictions for the quantum in decision
	meter     meter
	saving    saving.Book
	policy    policy.Policy
	rest      coalesce.Watch
	pending   pending // the rest that the last decision allows
	expected  float64 // AtEffective / Max by the decision in force; 0 before the first
	request   request
	imposed   float64 // nJ; see Imposed
	saved     float64 // nJ; see Saved

	ran    epochs.Ticks // running time of all threads
	ending bool         // the target was asked to end
	ended  bool         // the target is gone; no frequency matters any more
	out    []Action     // the actions of the step in progress
}

// columns are the indices of counters in each slice, -1 for one that is not there.
type columns struct {
	instructions int
	reads        int // requests to memory
	cycles       int // -1 in shadow mode as well
}

// New makes a governor. An invalid configuration is an error that says which value is wrong.
func New(cfg Config) (*Governor, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("governor: %w", err)
	}
	p, err := predictor.New(cfg.Predictor, cfg.values())
	if err != nil {
		return nil, err
	}
	model := cfg.model()
	if err := model.Validate(); err != nil {
		return nil, err
	}
	g := &Governor{cfg: cfg, columns: cfg.columns(), predictor: p,
		grid: newGrid(cfg.Quantum, cfg.HoldOff), meter: meter{fit: power.NewFit(model)}}
	if cfg.Functions != nil {
		g.sampled = sensitivity.NewLog(*cfg.Functions, g.highest(), cfg.Quantum)
	}
	g.saving.Probes, g.saving.Costly = cfg.probesMeter(), cfg.Objective == SystemEnergy
	g.rest.Config = coalesce.Config{Quantum: cfg.Quantum, Longest: cfg.longestRest(),
		Budget: float64(cfg.Slowdown)}
	g.watch = clockwatch.New(clockwatch.Config{States: cfg.States, Settle: cfg.Settle,
		MayTry: cfg.Objective == Slowdown})
	g.corrector = correction.NewCorrector(cfg.learns() && g.columns.instructions >= 0,
		cfg.shares() && p.Complete(), cfg.ByPhase)
	if g.policy, err = cfg.policy(&g.meter.fit); err != nil {
		return nil, err
	}
	g.reorder = epochs.NewReorder(0, g.feed)
	g.assembler, err = epochs.NewAssembler(epochs.Config{Counters: len(cfg.Counters),
		Resync: 2 * cfg.Quantum})
	if err != nil {
		return nil, fmt.Errorf("governor: %w", err)
	}
	return g, nil
}

// columns finds the counters that the governor itself reads. In shadow mode cycles are of the
// machine's clock, not of the virtual processor's.
func (c *Config) columns() columns {
	found := columns{
		instructions: counterNamed(c.Counters, hpc.Instructions, hpc.Insts),
		reads:        counterNamed(c.Counters, hpc.DRAMReads),
		cycles:       counterNamed(c.Counters, hpc.Cycles),
	}
	if c.Shadow {
		found.cycles = -1
	}
	return found
}

// values returns the names of the values that an epoch's rows have for the predictor: the counters,
// then the time by samples.
func (c *Config) values() []string {
	if c.Functions == nil {
		return c.Counters
	}
	return append(slices.Clone(c.Counters), nonscaling.FunctionOff)
}

// counterNamed returns the index of the first of the named counters, or -1.
func counterNamed(have []string, names ...string) int {
	for _, n := range names {
		if i := slices.Index(have, n); i >= 0 {
			return i
		}
	}
	return -1
}

// Epochs has sink see every profiled epoch, in order. The epoch is valid until sink returns.
func (g *Governor) Epochs(sink func(*epochs.Epoch)) { g.sink = sink }

// PredictorConfig returns the predictor's configuration, defaults filled in.
func (g *Governor) PredictorConfig() predictor.Config { return g.predictor.Config() }

// CollectorPhases returns the number of phases that the model coop has seen, if that is the model;
// see Predictor.Phases.
func (g *Governor) CollectorPhases() (n int, has bool) { return g.predictor.Phases() }

// PowerWindows returns the number of windows of the energy meter from which the governor learned
// what the processor draws.
func (g *Governor) PowerWindows() int { return g.meter.fit.Fitted() }

// ThreadTime divides the time of all threads in the profiled time.
type ThreadTime struct {
	Running epochs.Ticks
	epochs.Waits
}

// ThreadTime returns the time of all threads in the run so far.
func (g *Governor) ThreadTime() ThreadTime {
	return ThreadTime{Running: g.ran, Waits: g.assembler.Waits()}
}

// Saving returns the account of the processor's energy so far.
func (g *Governor) Saving() saving.Estimate { return g.saving.Estimate(&g.meter.fit) }

// Sampled returns the log of the samples so far; nil where there are none.
func (g *Governor) Sampled() *sensitivity.Log { return g.sampled }

// Start returns the time when the target's time began, once it has.
func (g *Governor) Start() units.Instant { return g.start }

// First returns the frequency at which the target should begin.
func (g *Governor) First() units.Frequency { return g.policy.First() }

func (g *Governor) highest() units.Frequency { return g.cfg.States[len(g.cfg.States)-1] }
