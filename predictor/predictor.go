package predictor

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
	"github.com/ebb-energy/ebb/predictor/waiting"
	"github.com/ebb-energy/ebb/units"
)

// Predictor collects the epochs of a quantum, or of a whole run, and predicts how long they would
// have taken at other frequencies. It is not safe for concurrent use: even Duration uses scratch
// memory.
type Predictor struct {
	cfg      Config
	splitter nonscaling.Splitter
	fetch    bool // the estimator counts instruction fetch
	model    waiting.Model
	alpha    float64
	rate     float64 // true frequency over the one given to Add
	work     waiting.Work

	latencies nonscaling.Latencies
	perNs     float64          // time units in a ns
	shared    nonscaling.Queue // queue at the memory for all epochs together; see Share
	whole     whole            // what the epochs stand for; see Stand
	misses    misses
	durations []duration // predicted since the work last changed
}

// New makes a predictor for epochs whose rows carry the named counter columns. An unknown name and
// columns that are missing for the chosen estimator are errors that list the existing ones.
func New(cfg Config, columns []string) (*Predictor, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	p := &Predictor{alpha: nonscaling.Midpoint, latencies: cfg.latencies(),
		perNs: float64(cfg.Unit.PerNs())}
	var burst bool
	p.model, burst = cfg.model()
	e, err := cfg.estimator(burst, columns)
	if err != nil {
		return nil, err
	}
	p.splitter, err = e.New(nonscaling.Options{Burst: burst, Latencies: p.latencies,
		Unit: cfg.Unit, Without: cfg.Without}, columns)
	if err != nil {
		return nil, err
	}
	cfg.Estimator, p.fetch = e.Name, e.CountsFetch
	if p.cfg = cfg; cfg.Alpha != nil {
		p.alpha = *cfg.Alpha
	}
	p.work.Counts = nonscaling.CountsOf(columns)
	p.work.Bus = nonscaling.NewBus(&p.latencies, cfg.Unit, columns)
	p.Reset()
	return p, nil
}

// Config returns the predictor's configuration, defaults filled in.
func (p *Predictor) Config() Config { return p.cfg }

// Complete reports whether predictions include every known cause of bias, where they are given what
// the memory moves (Share): instruction fetch, and the contention of threads at the memory.
func (p *Predictor) Complete() bool { return p.cfg.Latencies != nil && p.fetch }

// Reset forgets all epochs. It remembers what they showed of the program: where the lines of the
// newest accesses came from, and whether it has barriers.
func (p *Predictor) Reset() {
	p.rate, p.shared, p.whole, p.durations = 1, nonscaling.Queue{}, whole{}, p.durations[:0]
	p.work.Reset()
	p.model.Reset()
}

// Add takes the next epoch in order, which ran at the delivered frequency base. It keeps nothing of
// e.
func (p *Predictor) Add(e *epochs.Epoch, base units.Frequency) {
	p.durations = p.durations[:0]
	p.model.Add(&p.work, p.work.Add(e, float64(base), p.splitter))
}

// Rebase says that the epochs added since the last Reset ran at r times the frequency given to Add,
// each of them. Values that an estimator derives from the frequency itself, such as a lookup of
// some cycles in ns, stay as they were.
func (p *Predictor) Rebase(r float64) { p.rate, p.durations = r, p.durations[:0] }

// Mark says that a phase of the program ends with the last epoch added: its collector begins or
// ends its work. Only the model "coop" has phases.
func (p *Predictor) Mark() {
	p.durations = p.durations[:0]
	p.model.Mark(&p.work)
}

// Phases returns the number of phases that have ended, over all Resets, and whether the model has
// any: only "coop" does. It is M+CRIT where none ended, and whoever shows a figure of it must say
// so.
func (p *Predictor) Phases() (n int, has bool) {
	m, has := p.model.(*paperCoop)
	if !has {
		return 0, false
	}
	return m.ended, true
}

// Duration predicts how long the epochs since the last Reset would have taken at f, in their own
// time unit.
func (p *Predictor) Duration(f units.Frequency) float64 {
	return p.durationAt(f, p.alpha)
}

// duration is a predicted duration. A decision asks for some of them several times, and a
// prediction walks all that the threads did.
type duration struct {
	f    units.Frequency
	a, t float64
}

func (p *Predictor) durationAt(f units.Frequency, a float64) float64 {
	for i := range p.durations {
		if d := &p.durations[i]; d.f == f && d.a == a {
			return d.t
		}
	}
	at := float64(f) / p.rate
	t := p.whole.duration(p.sharing(p.model.Duration(&p.work, at, a)), at)
	p.durations = append(p.durations, duration{f, a, t})
	return t
}

// Advance predicts by how much the epochs since the last Reset moved the program on at f, in their
// own time unit. Duration takes them by themselves, all threads beginning together, and ends with
// the latest. Summed over quanta that is too long at any frequency but the one they ran at: a
// thread that falls behind in one may catch up in the next. Here threads begin with what they were
// ahead or behind when Advance was last asked. Once they have met, the sum is the duration of the
// whole; until then it is within one quantum of what the first of them has come to. It is for one
// frequency, asked once before each Reset; its parts may be uneven, and below zero.
//
// Only the model "wake" has clocks that go on; of the others it is Duration.
func (p *Predictor) Advance(f units.Frequency) float64 {
	m, ok := p.model.(waiting.Continuing)
	if !ok {
		return p.Duration(f)
	}
	at := float64(f) / p.rate
	t := m.Advance(&p.work, at, p.alpha, p.queued(p.model.RunTime(&p.work, at, p.alpha)))
	if !p.whole.known {
		return t
	}
	// Threads release what they had ahead once, not as often as the part stands for more.
	own := min(t, p.sharing(p.model.Duration(&p.work, at, p.alpha)))
	return p.whole.duration(own, at) + (t - own)
}

// RunTime predicts the running time at f of all threads together, what they waited for each other
// left out. Compared with the running time measured there it separates the error of the threads'
// own times from that of how they wait for each other.
func (p *Predictor) RunTime(f units.Frequency) float64 {
	at := float64(f) / p.rate
	return p.whole.running(p.model.RunTime(&p.work, at, p.alpha), at)
}

// Alpha returns the place of the non-scaling time in its bracket that Duration uses; see SetAlpha.
func (p *Predictor) Alpha() float64 { return p.alpha }

// SetAlpha puts the non-scaling time at another place in its bracket, 0 to 1, from the next
// Duration on.
func (p *Predictor) SetAlpha(a float64) { p.alpha = min(max(a, 0), 1) }

// Sample sums up the work since the last Reset: the running time of all threads and the bracket of
// the part of it that does not scale. It belongs to a single frequency only if all the work does.
func (p *Predictor) Sample() Sample {
	w := &p.work
	s := Sample{Frequency: w.Base * p.rate, Time: float64(w.Run),
		Lo: float64(w.Lo), Hi: float64(w.Hi)}
	if x := &p.whole; x.known {
		if w.Run == 0 {
			s.Frequency = x.Base * p.rate
		}
		s.Time, s.Lo, s.Hi = float64(x.Run), s.Lo*x.run.by, s.Hi*x.run.by
	}
	return s
}

// Running predicts the running time of all threads together at f, as if none waited for another:
// what governor/correction compares. Each epoch counts at the frequency it ran at: a change of the
// clock takes effect within a quantum, and the error of one clock for all has one sign.
func (p *Predictor) Running(f units.Frequency) float64 {
	t := 0.0
	for i := range p.work.Clocks {
		c := &p.work.Clocks[i]
		s := Sample{Frequency: c.Base * p.rate, Time: float64(c.Run), Lo: float64(c.Lo),
			Hi: float64(c.Hi)}
		t += s.At(float64(f), p.alpha)
	}
	if !p.shared.Empty() {
		threads := float64(p.work.Run) / float64(p.work.Busy) // mean number of threads at a time
		t = p.shared.Among(t/threads) * threads
	}
	return p.whole.running(t, float64(f)/p.rate)
}

// ThreadTime is a thread's part of the work since the last Reset.
type ThreadTime struct {
	Thread epochs.TID
	// Run is its running time as measured, Time its running time predicted to f.
	Run, Time float64
	// Instructions retired, and lines read from memory; 0 where they are not counted.
	Instructions, Reads float64
	// Ended: the thread has ended, so its id may be another's. Follows: another thread had its id
	// earlier in the work.
	Ended, Follows bool
}

// Threads appends the parts of all threads that ran. Running is the sum of their times.
func (p *Predictor) Threads(out []ThreadTime, f units.Frequency) []ThreadTime {
	at := float64(f) / p.rate
	queued := 0.0
	if !p.shared.Empty() {
		alone := 0.0
		for i := range p.work.Shares {
			alone += p.work.Shares[i].At(at, p.alpha)
		}
		queued = p.queued(alone)
	}
	for i := range p.work.Shares {
		s := &p.work.Shares[i]
		if s.Run > 0 {
			out = append(out, ThreadTime{Thread: p.work.Threads.ID(i), Run: float64(s.Run),
				Time:         s.At(at, p.alpha) + float64(queued*float64(s.Mem)),
				Instructions: float64(s.Instructions), Reads: float64(s.Reads),
				Ended: p.work.Threads.Ended(i), Follows: p.work.Threads.Follows(i)})
		}
	}
	return out
}

// Measured returns the time that the epochs since the last Reset took.
func (p *Predictor) Measured() epochs.Ticks {
	if p.whole.known {
		return p.whole.Dur
	}
	return epochs.Ticks(p.work.Measured)
}

// Clamped returns the number of rows since the last Reset whose counters gave a non-scaling time
// below zero or above the epoch's duration, and were clamped to that.
func (p *Predictor) Clamped() int { return p.work.Clamped }
