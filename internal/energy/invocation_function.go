package energy

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/internal/tolerance"
	"github.com/ebb-energy/ebb/units"
)

// invocationCounters is the number of counters that a record can have.
const invocationCounters = 2

// Invocation is one invocation, with its energy.
type Invocation struct {
	Energy    units.Energy
	Wall, CPU time.Duration
	Switches  int64
	Counted   bool
	Counts    [invocationCounters]uint64
	Clock     units.Frequency // the machine's mean clock; 0: unknown
}

// Invocations adds up records of a function.
type Invocations struct {
	Records   int
	Recursive bool // some records are of invocations within others
	Least     units.Energy
	Most      units.Energy
	Counted   int // records with counts

	weight   float64 // calls that the records stand for
	energy   float64 // sum in nJ, by weight, as the four below
	wall     float64
	cpu      float64
	switches float64
	squares  float64                     // sum of the squares of the energies, by weight
	weights2 float64                     // sum of the squares of the weights
	joint    float64                     // sum of squares of weights times energy
	joint2   float64                     // sum of squares of weights times squares of energies
	counts   [invocationCounters]float64 // sums of the counts, by weight
	having   float64                     // weight of the records with counts
	cycles   float64                     // cycles of the machine's clock, by weight
	clocked  float64                     // time of the records with a clock, ns, by weight
	bins     []invocationBin             // bins in the order of their numbers
}

// Add adds a record that stands for a number of calls.
func (f *Invocations) Add(r *Invocation, calls float64) {
	if f.Records++; f.Records == 1 {
		f.Least, f.Most = r.Energy, r.Energy
	}
	f.Least, f.Most = min(f.Least, r.Energy), max(f.Most, r.Energy)
	w, e := calls, float64(r.Energy)
	f.weight += w
	f.energy += w * e
	f.wall += w * float64(r.Wall)
	f.cpu += w * float64(r.CPU)
	f.switches += w * float64(r.Switches)
	f.squares += w * e * e
	f.weights2 += w * w
	f.joint += w * w * e
	f.joint2 += w * w * e * e
	if r.Clock > 0 {
		f.cycles += w * float64(r.Clock) * r.Wall.Seconds()
		f.clocked += w * float64(r.Wall)
	}
	if r.Counted {
		f.Counted++
		f.having += w
		for i, n := range r.Counts {
			f.counts[i] += w * float64(n)
		}
	}
	f.bin(number(r.Energy), 1)
}

// Merge adds the records of another process's function of the same name.
func (f *Invocations) Merge(o *Invocations) {
	if o.Records == 0 {
		f.Recursive = f.Recursive || o.Recursive
		return
	}
	if f.Records == 0 {
		f.Least, f.Most = o.Least, o.Most
	}
	f.Records += o.Records
	f.Recursive = f.Recursive || o.Recursive
	f.Least, f.Most = min(f.Least, o.Least), max(f.Most, o.Most)
	f.Counted += o.Counted
	f.weight += o.weight
	f.energy += o.energy
	f.wall += o.wall
	f.cpu += o.cpu
	f.switches += o.switches
	f.squares += o.squares
	f.weights2 += o.weights2
	f.joint += o.joint
	f.joint2 += o.joint2
	f.cycles += o.cycles
	f.clocked += o.clocked
	f.having += o.having
	for i := range f.counts {
		f.counts[i] += o.counts[i]
	}
	for _, b := range o.bins {
		f.bin(b.number, b.count)
	}
}

// Mean returns the mean energy of an invocation.
func (f *Invocations) Mean() units.Energy { return units.Energy(f.mean()) }

func (f *Invocations) mean() float64 {
	if f.weight == 0 {
		return 0
	}
	return f.energy / f.weight
}

// Wall returns the mean wall time of an invocation.
func (f *Invocations) Wall() time.Duration { return f.per(f.wall) }

// CPU returns the mean CPU time of an invocation.
func (f *Invocations) CPU() time.Duration { return f.per(f.cpu) }

// Switches returns the mean number of times that an invocation's thread left its CPU.
func (f *Invocations) Switches() float64 {
	if f.weight == 0 {
		return 0
	}
	return f.switches / f.weight
}

// Clock returns the machine's mean clock while invocations ran or waited; 0: unknown.
func (f *Invocations) Clock() units.Frequency {
	if f.clocked == 0 {
		return 0
	}
	return units.Frequency(math.Round(f.cycles / f.clocked * 1e9))
}

func (f *Invocations) per(sum float64) time.Duration {
	if f.weight == 0 {
		return 0
	}
	return time.Duration(sum / f.weight)
}

// Deviation returns the standard deviation of the energy of invocations.
func (f *Invocations) Deviation() units.Energy {
	if f.Records < 2 || f.weight == 0 {
		return 0
	}
	m := f.mean()
	return units.Energy(math.Sqrt(max(f.squares/f.weight-m*m, 0)))
}

// insideShare is the share of means that should lie inside their intervals.
const insideShare = 0.95

// Interval returns the 95 % interval of the mean. It is computed as for a ratio of two sums (calls
// and energy), and holds when records are independent of each other. It is unknown with fewer than
// two records.
func (f *Invocations) Interval() (low, high units.Energy, ok bool) {
	if f.Records < 2 {
		return 0, 0, false
	}
	m, n := f.mean(), float64(f.Records)
	variance := f.joint2 - 2*m*f.joint + m*m*f.weights2
	wide := tolerance.Student(1-insideShare, n-1) * math.Sqrt(max(variance, 0)*n/(n-1)) / f.weight
	return units.Energy(max(m-wide, 0)), units.Energy(m + wide), true
}

// Counts returns the mean counts of an invocation, from the records that have some.
func (f *Invocations) Counts() (means [invocationCounters]float64) {
	for i, n := range f.counts {
		if f.having > 0 {
			means[i] = n / f.having
		}
	}
	return means
}
