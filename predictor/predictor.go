package predictor

import (
	"fmt"
	"slices"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Config chooses a predictor. Its zero value is the default.
type Config struct {
	Model     string // one of ModelNames; "" is DefaultModel
	Estimator string // one of EstimatorNames; "" is the first whose columns are there
	CTP       string // Across or PerEpoch, for the model "dep"; "" is Across
	// Collectors are the garbage collector's threads, for the model "coop": the epochs they run in
	// are its phases. Phases can also be marked (Predictor.Mark).
	Collectors []epochs.TID
	// Unit is the unit of the epochs' times. The estimator "offcore" must be told; the others can
	// do without, but then do not reckon with the memory's bandwidth.
	Unit epochs.TimeUnit
	// Machine has the latencies of the machine the epochs come from; nil is DefaultMachine.
	Machine *Machine
	// Alpha is the place of the non-scaling time between the ends of its bracket, 0 to 1; nil is
	// the middle.
	Alpha *float64
}

// DefaultModel is the model of a zero Config.
const DefaultModel = Wake

// midpoint is where in its bracket the non-scaling time is put while nothing better is known.
const midpoint = 0.5

// Predictor collects the epochs of a quantum, or of a whole run, and predicts how long they would
// have taken at other frequencies. It is not safe for concurrent use: even Duration uses scratch
// memory.
type Predictor struct {
	cfg   Config
	est   splitter
	model model
	alpha float64
	rate  float64 // of the frequencies told by Add, those that were there
	work  work

	machine Machine
	perNs   float64 // time units
	shared  queue   // for the epochs together; see Share
	misses  misses
}

// New makes a predictor for epochs whose rows carry the named counter columns. An unknown name and
// columns that are missing for the chosen estimator are errors that say what there is.
func New(cfg Config, columns []string) (*Predictor, error) {
	if cfg.Model == "" {
		cfg.Model = DefaultModel
	}
	if cfg.CTP == "" {
		cfg.CTP = Across
	}
	machine := DefaultMachine()
	if cfg.Machine != nil {
		machine = *cfg.Machine
	}
	ec := config{machine: machine, unit: cfg.Unit}
	m, burst, err := newModel(cfg.Model, cfg.CTP, cfg.Collectors, &ec)
	if err != nil {
		return nil, err
	}
	ec.burst = burst
	est, name, err := newEstimator(cfg.Estimator, ec, columns)
	if err != nil {
		return nil, err
	}
	cfg.Estimator = name
	p := &Predictor{cfg: cfg, est: est, model: m, alpha: midpoint, machine: machine,
		perNs: ec.perNs()}
	if cfg.Alpha != nil {
		if !(*cfg.Alpha >= 0 && *cfg.Alpha <= 1) {
			return nil, fmt.Errorf("alpha %v is not between 0 and 1", *cfg.Alpha)
		}
		p.alpha = *cfg.Alpha
	}
	p.work.bus = newBus(&machine, cfg.Unit, columns)
	p.Reset()
	return p, nil
}

// Config is what the predictor was made with, defaults filled in.
func (p *Predictor) Config() Config { return p.cfg }

// Complete says whether predictions reckon with all that is known to make them lean, where they are
// told (Share) what the memory moves: instruction fetch, and that threads wait for each other at
// the memory.
func (p *Predictor) Complete() bool {
	i := slices.IndexFunc(estimators, func(d Estimator) bool { return d.Name == p.cfg.Estimator })
	return p.cfg.Machine != nil && estimators[i].fetch
}

// Reset forgets all epochs.
func (p *Predictor) Reset() {
	p.rate, p.shared = 1, queue{}
	p.work.reset()
	p.model.reset()
}

// Add takes the next epoch in order, which ran at the delivered frequency base. It keeps nothing of
// e.
func (p *Predictor) Add(e *epochs.Epoch, base units.Frequency) {
	p.model.add(&p.work, p.work.add(e, float64(base), p.est))
}

// Rebase says that the epochs added since the last Reset ran at r times the frequency that Add was
// told, each of them. What an estimator takes from the frequency itself, a look-up of some cycles
// in ns, stays as it was.
func (p *Predictor) Rebase(r float64) { p.rate = r }

// Mark says that a phase of the program ends with the last epoch added: its collector begins or
// ends its work. Only the model "coop" looks at it.
func (p *Predictor) Mark() {
	if c, ok := p.model.(*coop); ok {
		c.mark(len(p.work.spans))
	}
}

// Duration predicts how long the epochs since the last Reset would have taken at f, in their own
// time unit.
func (p *Predictor) Duration(f units.Frequency) float64 {
	return p.durationAt(f, p.alpha)
}

func (p *Predictor) durationAt(f units.Frequency, a float64) float64 {
	return p.sharing(p.model.duration(&p.work, float64(f)/p.rate, a))
}

// Alpha is the place of the non-scaling time in its bracket that Duration uses; see SetAlpha.
func (p *Predictor) Alpha() float64 { return p.alpha }

// SetAlpha puts the non-scaling time at another place in its bracket, 0 to 1, from the next
// Duration on.
func (p *Predictor) SetAlpha(a float64) { p.alpha = min(max(a, 0), 1) }

// Sample sums up the work since the last Reset: the running time of all threads and the bracket of
// the part of it that does not scale. It belongs to a single frequency only if all the work does.
func (p *Predictor) Sample() Sample {
	w := &p.work
	return Sample{Frequency: w.base * p.rate, Time: float64(w.run), Lo: float64(w.lo),
		Hi: float64(w.hi)}
}

// Running predicts the running time of all threads together at f, as if none waited for another:
// what governor/hindsight compares. It is reckoned from the frequency of the newest epoch.
func (p *Predictor) Running(f units.Frequency) float64 {
	s := p.Sample()
	t := s.At(float64(f), p.alpha)
	if p.shared.wait == 0 {
		return t
	}
	threads := float64(p.work.run) / float64(p.work.busy) // at a time
	return p.shared.among(t/threads) * threads
}

// Measured is how long the epochs since the last Reset took.
func (p *Predictor) Measured() int64 { return p.work.measured }

// Clamped is the number of rows since the last Reset whose counters gave a non-scaling time below
// zero or above the epoch's duration, and were clamped to that.
func (p *Predictor) Clamped() int { return p.work.clamped }
