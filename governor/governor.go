package governor

import (
	"fmt"
	"math"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/learning"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// Governor is the core. The zero value is of no use; New makes one. It is for one goroutine.
type Governor struct {
	cfg       Config
	reorder   *epochs.Reorder
	assembler *epochs.Assembler
	predictor *predictor.Predictor
	policy    policy.Policy
	sink      func(*epochs.Epoch)

	grid     grid
	start    units.Instant // of the target's time
	now      units.Instant // up to here everything has been delivered
	fed      units.Instant // up to here it has been taken in
	clock    clock         // the frequency delivered, over time
	asked    units.Frequency
	answered units.Instant // when the machine said that it does; 0 before
	// the last request was refused or capped: it is made again with the next decision
	unmet   bool
	expect  float64 // AtEffective / Max, by the decision in force
	instr   int     // index of the instruction counter, or -1
	reads   int     // index of the counter of memory requests, or -1
	cycles  int     // index of the counter of cycles, or -1
	cur     tally   // the quantum that is being filled
	closing *tally  // the one before, cut, whose last slices are still open
	spare   tally   // closing's storage

	hindsight hindsight
	view      corrected // of the quantum in decision
	meter     meter
	traffic   traffic
	heed      heed

	ending bool     // the target was asked to end
	ended  bool     // the target is gone; no frequency matters any more
	out    []Action // the actions of the step in progress
}

// maxRows bounds what is kept of a quantum, to some 30 MB: a quantum of a second with half a
// million rows. One that has more is a hole.
const maxRows = 1 << 19

// tally is what is summed up of a quantum's epochs.
type tally struct {
	Quantum
	end     units.Instant
	running int // threads that ran when it was cut

	logBase         float64         // ln of the frequency, summed over the ns in which a thread ran
	lowest, fastest units.Frequency // of its epochs with a thread running
	cycles          cycles
}

// New makes a governor. An invalid configuration is an error that says which value is wrong.
func New(cfg Config) (*Governor, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("governor: %w", err)
	}
	p, err := predictor.New(cfg.Predictor, cfg.Counters)
	if err != nil {
		return nil, err
	}
	model := cfg.model()
	if err := model.Validate(); err != nil {
		return nil, err
	}
	g := &Governor{cfg: cfg, predictor: p, meter: meter{fit: power.NewFit(model)},
		grid: newGrid(cfg.Quantum, cfg.HoldOff)}
	g.instr, g.reads = counterNamed(cfg.Counters, "instructions",
		"insts"), counterNamed(cfg.Counters, "dram_reads", "dram_rd")
	if g.cycles = counterNamed(cfg.Counters, "cycles"); cfg.Shadow {
		g.cycles = -1 // they are of the machine's clock, not of the one that is reckoned with
	}
	g.hindsight = hindsight{on: cfg.learns() && g.instr >= 0, learner: learning.NewLearner()}
	g.hindsight.anchor.Complete = cfg.shares() && p.Complete()
	if g.policy, err = cfg.policy(&g.meter.fit); err != nil {
		return nil, err
	}
	g.reorder = epochs.NewReorder(0, g.feed)
	g.assembler, err = epochs.NewAssembler(epochs.Config{Counters: len(cfg.Counters),
		Resync: 2 * cfg.Quantum}, g.epoch)
	if err != nil {
		return nil, fmt.Errorf("governor: %w", err)
	}
	return g, nil
}

// Epochs has sink see every profiled epoch, in order. The epoch is valid until sink returns.
func (g *Governor) Epochs(sink func(*epochs.Epoch)) { g.sink = sink }

// PredictorConfig is how the predictor was made, defaults filled in.
func (g *Governor) PredictorConfig() predictor.Config { return g.predictor.Config() }

// PowerWindows is from how many windows of the energy meter it was learned what the processor
// draws.
func (g *Governor) PowerWindows() int { return g.meter.fit.Fitted() }

// Start is when the target's time began, once it has.
func (g *Governor) Start() units.Instant { return g.start }

// Step consumes one event and appends the actions it calls for.
func (g *Governor) Step(ev *Event, out []Action) []Action {
	g.out = out
	switch ev.Kind {
	case Begin:
		g.begin(ev)
	case Sched:
		// A reader that was late delivers several quanta at once. The tick behind them says how
		// late it is.
		if ev.Sched.Kind == epochs.Tick {
			g.now = max(g.now, ev.Sched.At)
		}
		g.reorder.Push(&ev.Sched)
	case Applied:
		g.clock.change(ev.At, ev.Frequency)
		g.unmet = ev.Refusal != "" || ev.Frequency < g.asked
		if g.answered == 0 {
			g.answered = ev.At
		}
	case Metered:
		g.meter.reading(ev)
	case Traffic:
		g.traffic.reading(ev.At, ev.Reads, ev.Writes)
	case Ending:
		g.ending = true
		g.ask(g.highest())
	case End:
		g.finish(ev.At)
	}
	out, g.out = g.out, nil
	return out
}

func (g *Governor) begin(ev *Event) {
	g.clock.change(ev.At, ev.Frequency)
	g.assembler.Begin(ev.At)
	g.grid.begin(ev.At)
	g.start, g.now = ev.At, ev.At
	g.cur = tally{Quantum: Quantum{Start: ev.At}}
	g.ask(g.first())
	if !g.grid.open {
		g.assembler.Suspend(ev.At)
	}
}

// first is the frequency to begin with.
func (g *Governor) first() units.Frequency {
	if p, ok := g.policy.(interface{ First() units.Frequency }); ok {
		return p.First()
	}
	return g.highest()
}

func (g *Governor) highest() units.Frequency { return g.cfg.States[len(g.cfg.States)-1] }

// ask requests a frequency when it is another than the one asked for before, or that one was not
// given, or not heeded.
func (g *Governor) ask(f units.Frequency) {
	switch {
	case g.ended:
	case f != g.asked || g.unmet:
		if f != g.asked {
			g.asked, g.answered = f, 0
		}
		g.out = append(g.out, Action{Kind: SetFrequency, Frequency: f})
	case g.heed.again:
		g.out = append(g.out, Action{Kind: Insist, Frequency: f, By: beside(g.cfg.States, f)})
	}
	g.heed.again = false
}

// feed takes one event in order.
func (g *Governor) feed(ev *epochs.Event) {
	tick := ev.Kind == epochs.Tick
	if tick {
		g.now, g.fed = max(g.now, ev.At), max(g.fed, ev.At)
	}
	g.advance(ev.At, tick)
	if ev.Kind == epochs.Lost {
		g.cur.Lost += ev.Count
	}
	g.assembler.Push(ev)
	if tick {
		g.settle()
	}
}

// ran notes that a thread ran at f for dur ns.
func (t *tally) ran(f units.Frequency, dur int64) {
	if t.Busy == 0 {
		t.lowest, t.fastest = f, f
	}
	t.lowest, t.fastest = min(t.lowest, f), max(t.fastest, f)
	t.logBase += float64(dur) * math.Log(float64(f))
}

// epoch takes a complete epoch from the assembler.
func (g *Governor) epoch(e *epochs.Epoch) {
	q := &g.cur
	if g.closing != nil {
		if units.Instant(e.Start) >= g.closing.end {
			g.decide()
		} else {
			q = g.closing
		}
	}
	q.Epochs++
	q.Rows += len(e.Rows)
	q.Hole = q.Hole || e.Hole
	base := g.clock.during(units.Instant(e.Start))
	if len(e.Rows) > 0 {
		q.ran(base, int64(e.Dur))
		q.Busy += time.Duration(e.Dur)
		q.ThreadRun += time.Duration(e.Dur) * time.Duration(len(e.Rows))
	}
	if g.instr >= 0 {
		for i := range e.Rows {
			q.Instructions += uint64(e.Rows[i].Values[g.instr])
		}
	}
	if g.reads >= 0 {
		for i := range e.Rows {
			q.DRAMReads += uint64(e.Rows[i].Values[g.reads])
		}
	}
	if g.cycles >= 0 {
		q.cycles.add(e, g.cycles, base)
	}
	if q.Rows <= maxRows {
		g.predictor.Add(e, base)
	} else {
		q.Hole = true
	}
	if g.sink != nil {
		g.sink(e)
	}
}
