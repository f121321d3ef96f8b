package power

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Fit is a processor's energy as a sum of parts whose shapes are known and whose sizes are learned
// from an energy meter while the program runs. Without a meter it equals the model, with guessed
// shares of the parts.
//
// The parts, at the frequency f and the model's voltage v there, relative to the reference's:
//
//   - constant: what shared cache, interconnect and memory controller draw at any clock, per time;
//   - leakage of the cores, per time, with v^3 and the die's temperature (see below);
//   - instructions, each with v^2;
//   - busy core cycles, waiting ones included, each with v^2. A thread that waits for memory has
//     fewer of them at a lower clock, so it saves more than the paper's six steps say, which take
//     them to be the same at every frequency;
//   - requests to memory, as far as they cost the processor something;
//   - instructions and cycles once more, without the voltage. On a part whose voltage hardly
//     follows the clock this grows and the others shrink; where it falls faster than the model's,
//     it is below zero.
//
// Leakage falls faster than the model's rule, which is proportional to v: the current also falls
// with the voltage. For the voltages of Table 2 v^3 is nearer to what is published of 22 nm parts.
// And leakage grows with the temperature, by e in some 40 K. A die is 20 K and more warmer at full
// load than when nothing is drawn. So leakage falls with the power below Model.FullLoad, down to
// 1-maxCooling of it.
//
// The sizes are learned by recursive least squares on windows of some 50 ms; the model is the
// prior. One window says little, because meters are read with jitter. The prior keeps near the
// model what readings cannot separate. Where the cores have a meter of their own beside the
// package's (PP0 of client processors), the first window at any frequency separates what is
// constant from what leaks and switches.
type Fit struct {
	model Model
	// size is each part's energy relative to the model's; partFlat's is relative to what
	// instructions and cycles cost at the reference. All but partFlat's are at least minSize.
	size   [partCount]float64
	cov    [partCount][partCount]float64 // covariance of size; symmetric
	fitted int                           // number of windows learned from

	refused [meterCount]int // number of readings of each meter refused in a row; below maxRefusals
}

// The parts.
const (
	partConstant = iota
	partLeakage
	partInstructions
	partCycles
	partRequests
	partFlat // instructions and cycles without the voltage; the model has none of it
	partCount
)

// The parts' guessed shares of the model's parameters. Table2's 24 W of static power are then 8 W
// for the uncore and 16 W for four cores' leakage.
//
// Model.Core is assumed to be drawn by code that computes, at 1.5 instructions a cycle. A third of
// it is the clock's, the upper end of McPAT-like models, and half of that is gated off while a core
// waits: a cycle that only waits costs a sixth. With a larger share, waiting threads would seem to
// save by a lower clock what they do not save.
const (
	constantShare        = 1.0 / 3 // share of Model.Static that is drawn at any clock
	maxCooling           = 0.3     // share of leakage that a cold die does not have
	instructionShare     = 5.0 / 6 // share of Model.Core
	cyclesPerInstruction = 1 / 1.5
	energyPerRequest     = 4.0 // nJ that a request to memory costs the processor
)

// NewFit makes a fit that has seen no meter.
func NewFit(m Model) Fit {
	f := Fit{model: m}
	for i := range f.size {
		f.size[i] = 1
	}
	f.size[partFlat] = 0
	f.cov = priorOf(m).covariance()
	return f
}

// Activity is the program's work in an interval at one frequency, done or predicted.
type Activity struct {
	F            units.Frequency
	Dur          time.Duration
	CoreBusy     time.Duration // run time summed over cores, at F
	Instructions float64       // number of instructions; 0 when they are not counted
	Requests     float64       // number of requests to memory
}

// Features returns the energies of an activity's parts by the model.
func (f *Fit) Features(a Activity) (x Features) {
	m := &f.model
	v := m.Voltage(a.F) / m.Voltage(m.Reference)
	square := float64(v * v)
	dur, busy := float64(max(a.Dur, 0)), float64(max(a.CoreBusy, 0))
	// ns at the reference, where each costs m.Core
	cycles := busy * (float64(max(a.F, 0)) / float64(m.Reference))
	work := cycles
	if a.Instructions > 0 {
		work = a.Instructions * cyclesPerInstruction / (float64(m.Reference) / 1e9)
	}
	x[partConstant] = constantShare * float64(m.Static) * dur
	x[partLeakage] = (1 - constantShare) * float64(m.Static) * float64(square*v) * dur
	instructions := float64(instructionShare * float64(m.Core) * work)
	clock := float64((1 - instructionShare) * float64(m.Core) * cycles)
	x[partInstructions], x[partCycles] = instructions*square, clock*square
	x[partRequests] = energyPerRequest * a.Requests
	x[partFlat] = instructions + clock
	if full := float64(m.fullLoad()) * dur; full > 0 {
		x[partLeakage] *= 1 - float64(maxCooling*max(0, 1-f.Modelled(&x)/full))
	}
	return x
}

// Constant returns the energy of the parts that draw the same at any clock, by what was learned, in
// nJ.
func (f *Fit) Constant(x *Features) float64 {
	return float64(f.size[partConstant] * x[partConstant])
}

// Working returns the energy of what the activity's own threads do, by what was learned, in nJ:
// without the parts that draw while the machine is on, whoever runs there.
func (f *Fit) Working(x *Features) float64 {
	return f.Energy(x) - float64(f.size[partConstant]*x[partConstant]) -
		float64(f.size[partLeakage]*x[partLeakage])
}

// Lasting returns the energy of the parts that last as long as the activity does, by what was
// learned, in nJ: the same instructions cost the same however long they take.
func (f *Fit) Lasting(x *Features) float64 {
	return max(float64(f.size[partConstant]*x[partConstant]), 0) +
		max(float64(f.size[partLeakage]*x[partLeakage]), 0) +
		max(float64(f.size[partCycles]*x[partCycles]), 0)
}

// Modelled returns the energy of features by the model alone, in nJ.
func (f *Fit) Modelled(x *Features) float64 {
	var sum float64
	for i := range partFlat {
		sum += x[i]
	}
	return sum
}

// Energy returns the energy of features by what was learned, in nJ.
func (f *Fit) Energy(x *Features) float64 {
	var sum float64
	for i := range x {
		sum += float64(f.size[i] * x[i])
	}
	return sum
}
