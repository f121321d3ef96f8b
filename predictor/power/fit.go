package power

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Fit is a processor's energy as a sum of parts whose shapes are known and whose sizes are learned from an energy meter
// while the program runs. Without a meter it is what the model says, with guessed shares of the parts.
//
// The parts, at the frequency f and the model's voltage v there, relative to the reference's:
//
//   - constant: what shared cache, interconnect and memory controller draw at any clock, per time;
//   - leakage of the cores, per time, with v^3 (see below);
//   - instructions, each with v^2;
//   - busy core cycles, waiting ones included, each with v^2. A thread that waits for memory has fewer of them at a lower
//     clock, so it saves more than the paper's six steps say, which take them to be the same at every frequency;
//   - requests to memory, as far as they cost the processor something;
//   - busy core cycles once more, without the voltage. On a part whose voltage hardly follows the clock this grows and
//     the others shrink.
//
// Leakage goes faster than the model's rule, proportional to v: the current grows with the voltage too. For the voltages
// of Table 2 v^3 is nearer to what is published of 22 nm parts.
//
// The sizes are learned by recursive least squares on windows of some 50 ms, with what the model says as a prior. One
// window says little, because meters are read with jitter; the prior keeps what can not be told apart near the model.
type Fit struct {
	model  Model
	size   [parts]float64 // relative to the model's
	cov    [parts][parts]float64
	fitted int
}

const parts = 6

const (
	partConstant = iota
	partLeakage
	partInstructions
	partCycles
	partRequests
	partFlatCycles
)

// Shares of the model's parameters that are guessed to belong to the parts. Table2's 24 W of static power are 8 W for the
// uncore and 16 W for four cores' leakage then.
const (
	constantShare     = 1.0 / 3
	instructionShare  = 0.55
	cyclesPerInstr    = 1.0 // at which the instructions' share is instructionShare of a busy cycle's energy
	requestEnergy     = 4.0 // nJ a request costs the processor
	meterDeviation    = 0.02
	leastWindowEnergy = 1e3 // nJ
)

// priorDeviation is how far the sizes may be from the model's: least is known of what is on at any clock.
var priorDeviation = [parts]float64{partConstant: 3, partLeakage: 1, partInstructions: 0.5, partCycles: 0.7, partRequests: 2, partFlatCycles: 0.7}

// NewFit makes a fit that has seen no meter.
func NewFit(m Model) Fit {
	f := Fit{model: m}
	for i := range f.size {
		f.size[i] = 1
		f.cov[i][i] = priorDeviation[i] * priorDeviation[i]
	}
	f.size[partFlatCycles] = 0
	return f
}

// Activity is what the program did in a while at one frequency, or would have done.
type Activity struct {
	F            units.Frequency
	Dur          time.Duration
	CoreBusy     time.Duration // run time summed over cores, at F
	Instructions float64       // 0 when they are not counted
	Requests     float64       // to memory
}

// Features are the parts' energies by the model, in nJ; they add up over stretches.
type Features [parts]float64

// Add adds o.
func (x *Features) Add(o *Features) {
	for i := range x {
		x[i] += o[i]
	}
}

// Features says what the parts of an activity cost by the model.
func (f *Fit) Features(a Activity) (x Features) {
	m := &f.model
	v := m.Voltage(a.F) / m.Voltage(m.Reference)
	square := float64(v * v)
	dur, busy := float64(max(a.Dur, 0)), float64(max(a.CoreBusy, 0))
	cycles := busy * (float64(max(a.F, 0)) / float64(m.Reference)) // ns at the reference, where each costs m.Core
	work := cycles
	if a.Instructions > 0 {
		work = a.Instructions * cyclesPerInstr / (float64(m.Reference) / 1e9)
	}
	x[partConstant] = constantShare * float64(m.Static) * dur
	x[partLeakage] = (1 - constantShare) * float64(m.Static) * float64(square*v) * dur
	x[partInstructions] = instructionShare * float64(m.Core) * square * work
	x[partCycles] = (1 - instructionShare) * float64(m.Core) * square * cycles
	x[partRequests] = requestEnergy * a.Requests
	x[partFlatCycles] = (1 - instructionShare) * float64(m.Core) * cycles
	return x
}

// Model is what features cost by the model alone, in nJ.
func (f *Fit) Model(x *Features) float64 {
	var sum float64
	for i := range partFlatCycles {
		sum += x[i]
	}
	return sum
}

// Energy is what features cost by what was learned, in nJ.
func (f *Fit) Energy(x *Features) float64 {
	var sum float64
	for i := range x {
		sum += float64(f.size[i] * x[i])
	}
	return sum
}

// Learn enters a window: the features of what was done in it, and the energy that the meter showed.
func (f *Fit) Learn(x *Features, metered units.Energy) {
	var scale float64
	for i := range partFlatCycles {
		scale += x[i]
	}
	if !(scale > leastWindowEnergy) || !(metered > 0) {
		return
	}
	var s, p [parts]float64
	y := float64(metered) / scale
	for i := range x {
		s[i] = x[i] / scale
		y -= float64(f.size[i] * s[i])
	}
	noise := meterDeviation * float64(metered) / scale
	spread := noise * noise
	for i := range p {
		for j := range s {
			p[i] += float64(f.cov[i][j] * s[j])
		}
		spread += float64(s[i] * p[i])
	}
	if f.fitted > 3 && y*y > 25*spread {
		return // the meter stood still, or something else ran
	}
	for i := range p {
		f.size[i] += p[i] / spread * y
		for j := range p {
			f.cov[i][j] -= float64(p[i] / spread * p[j])
		}
		f.cov[i][i] += 1e-6 // a little forgetting: a die warms up
	}
	f.fitted++
}

// Fitted is how many windows were learned from.
func (f *Fit) Fitted() int { return f.fitted }
