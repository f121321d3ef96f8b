package power

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Fit is a processor's energy as a sum of parts whose shapes are known and whose sizes are learned
// from an energy meter while the program runs. Without a meter it is what the model says, with
// guessed shares of the parts.
//
// The parts, at the frequency f and the model's voltage v there, relative to the reference's:
//
//   - constant: what shared cache, interconnect and memory controller draw at any clock, per time;
//   - leakage of the cores, per time, with v^3 and the die's temperature (see below);
//   - instructions, each with v^2;
//   - busy core cycles, waiting ones included, each with v^2. A thread that waits for memory has fewer of them at a lower
//     clock, so it saves more than the paper's six steps say, which take them to be the same at every frequency;
//   - requests to memory, as far as they cost the processor something;
//   - instructions and cycles once more, without the voltage. On a part whose voltage hardly follows the clock this grows
//     and the others shrink; where it falls faster than the model's, it is below zero.
//
// Leakage goes faster than the model's rule, proportional to v: the current grows with the voltage
// too. For the voltages of Table 2 v^3 is nearer to what is published of 22 nm parts. And it grows
// with the temperature, by e in some 40 K, and a die is 20 K and more warmer at full load than when
// nothing is drawn: so leakage is as much less as power is less than Model.FullLoad, down to
// 1-cooling of it.
//
// The sizes are learned by recursive least squares on windows of some 50 ms, with what the model
// says as a prior. One window says little, because meters are read with jitter; the prior keeps
// what can not be told apart near the model. Where the cores have a meter of their own beside the
// package's (PP0 of client processors), what is constant is told from what leaks and switches at
// the first window, at any frequency.
type Fit struct {
	model  Model
	size   [parts]float64 // relative to the model's
	cov    [parts][parts]float64
	fitted int

	refused [meters]int // readings of each in a row
}

const parts = 6

const (
	partConstant = iota
	partLeakage
	partInstructions
	partCycles
	partRequests
	partFlat
)

// Shares of the model's parameters that are guessed to belong to the parts. Table2's 24 W of static
// power are 8 W for the uncore and 16 W for four cores' leakage then.
//
// Model.Core is taken to be drawn by code that computes, at 1.5 instructions a cycle. A third of it
// is the clock's, the upper end of what McPAT-like models have, and half of that is gated off while
// a core waits: a cycle that only waits costs a sixth. With more, waiting threads seem to save by a
// lower clock what they do not.
const (
	constantShare    = 1.0 / 3
	cooling          = 0.3
	instructionShare = 5.0 / 6
	cyclesPerInstr   = 1 / 1.5
	requestEnergy    = 4.0 // nJ a request costs the processor
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

// Activity is what the program did in a while at one frequency, or would have done.
type Activity struct {
	F            units.Frequency
	Dur          time.Duration
	CoreBusy     time.Duration // run time summed over cores, at F
	Instructions float64       // 0 when they are not counted
	Requests     float64       // to memory
}

// Features says what the parts of an activity cost by the model.
func (f *Fit) Features(a Activity) (x Features) {
	m := &f.model
	v := m.Voltage(a.F) / m.Voltage(m.Reference)
	square := float64(v * v)
	dur, busy := float64(max(a.Dur, 0)), float64(max(a.CoreBusy, 0))
	// ns at the reference, where each costs m.Core
	cycles := busy * (float64(max(a.F, 0)) / float64(m.Reference))
	work := cycles
	if a.Instructions > 0 {
		work = a.Instructions * cyclesPerInstr / (float64(m.Reference) / 1e9)
	}
	x[partConstant] = constantShare * float64(m.Static) * dur
	x[partLeakage] = (1 - constantShare) * float64(m.Static) * float64(square*v) * dur
	instructions, clock := float64(
		instructionShare*float64(m.Core)*work,
	), float64((1-instructionShare)*float64(m.Core)*cycles)
	x[partInstructions], x[partCycles] = instructions*square, clock*square
	x[partRequests] = requestEnergy * a.Requests
	x[partFlat] = instructions + clock
	if full := float64(m.fullLoad()) * dur; full > 0 {
		x[partLeakage] *= 1 - float64(cooling*max(0, 1-f.Model(&x)/full))
	}
	return x
}

// Model is what features cost by the model alone, in nJ.
func (f *Fit) Model(x *Features) float64 {
	var sum float64
	for i := range partFlat {
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
