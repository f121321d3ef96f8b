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
	widened  int                         // how often the bins became twice as wide
}

// Add adds a record that stands for a number of calls.
func (inv *Invocations) Add(r *Invocation, calls float64) {
	if inv.Records++; inv.Records == 1 {
		inv.Least, inv.Most = r.Energy, r.Energy
	}
	inv.Least, inv.Most = min(inv.Least, r.Energy), max(inv.Most, r.Energy)
	w, e := calls, float64(r.Energy)
	inv.weight += w
	inv.energy += w * e
	inv.wall += w * float64(r.Wall)
	inv.cpu += w * float64(r.CPU)
	inv.switches += w * float64(r.Switches)
	inv.squares += w * e * e
	inv.weights2 += w * w
	inv.joint += w * w * e
	inv.joint2 += w * w * e * e
	if r.Clock > 0 {
		inv.cycles += w * float64(r.Clock) * r.Wall.Seconds()
		inv.clocked += w * float64(r.Wall)
	}
	if r.Counted {
		inv.Counted++
		inv.having += w
		for i, n := range r.Counts {
			inv.counts[i] += w * float64(n)
		}
	}
	inv.bin(number(r.Energy), 1)
}

// Merge adds the records of another process's function of the same name.
func (inv *Invocations) Merge(o *Invocations) {
	if o.Records == 0 {
		inv.Recursive = inv.Recursive || o.Recursive
		return
	}
	if inv.Records == 0 {
		inv.Least, inv.Most = o.Least, o.Most
	}
	inv.Records += o.Records
	inv.Recursive = inv.Recursive || o.Recursive
	inv.Least, inv.Most = min(inv.Least, o.Least), max(inv.Most, o.Most)
	inv.Counted += o.Counted
	inv.weight += o.weight
	inv.energy += o.energy
	inv.wall += o.wall
	inv.cpu += o.cpu
	inv.switches += o.switches
	inv.squares += o.squares
	inv.weights2 += o.weights2
	inv.joint += o.joint
	inv.joint2 += o.joint2
	inv.cycles += o.cycles
	inv.clocked += o.clocked
	inv.having += o.having
	for i := range inv.counts {
		inv.counts[i] += o.counts[i]
	}
	for inv.widened < o.widened {
		inv.widen()
	}
	for _, b := range o.bins {
		inv.bin(b.number<<o.widened, b.count)
	}
}

// Mean returns the mean energy of an invocation.
func (inv *Invocations) Mean() units.Energy { return units.Energy(inv.mean()) }

func (inv *Invocations) mean() float64 {
	if inv.weight == 0 {
		return 0
	}
	return inv.energy / inv.weight
}

// Wall returns the mean wall time of an invocation.
func (inv *Invocations) Wall() time.Duration { return inv.per(inv.wall) }

// CPU returns the mean CPU time of an invocation.
func (inv *Invocations) CPU() time.Duration { return inv.per(inv.cpu) }

// Switches returns the mean number of times that an invocation's thread left its CPU.
func (inv *Invocations) Switches() float64 {
	if inv.weight == 0 {
		return 0
	}
	return inv.switches / inv.weight
}

// Clock returns the machine's mean clock while invocations ran or waited; 0: unknown.
func (inv *Invocations) Clock() units.Frequency {
	if inv.clocked == 0 {
		return 0
	}
	return units.Frequency(math.Round(inv.cycles / inv.clocked * 1e9))
}

func (inv *Invocations) per(sum float64) time.Duration {
	if inv.weight == 0 {
		return 0
	}
	return time.Duration(sum / inv.weight)
}

// Deviation returns the standard deviation of the energy of invocations.
func (inv *Invocations) Deviation() units.Energy {
	if inv.Records < 2 || inv.weight == 0 {
		return 0
	}
	m := inv.mean()
	return units.Energy(math.Sqrt(max(inv.squares/inv.weight-m*m, 0)))
}

// insideShare is the share of means that should lie inside their intervals.
const insideShare = 0.95

// Interval returns the 95 % interval of the mean. It is computed as for a ratio of two sums (calls
// and energy), and holds when records are independent of each other. It is unknown with fewer than
// two records.
func (inv *Invocations) Interval() (low, high units.Energy, ok bool) {
	if inv.Records < 2 {
		return 0, 0, false
	}
	m, n := inv.mean(), float64(inv.Records)
	variance := inv.joint2 - 2*m*inv.joint + m*m*inv.weights2
	wide := tolerance.Student(1-insideShare, n-1) * math.Sqrt(max(variance, 0)*n/(n-1)) / inv.weight
	return units.Energy(max(m-wide, 0)), units.Energy(m + wide), true
}

// Counts returns the mean counts of an invocation, from the records that have some.
func (inv *Invocations) Counts() (means [invocationCounters]float64) {
	for i, n := range inv.counts {
		if inv.having > 0 {
			means[i] = n / inv.having
		}
	}
	return means
}
