package baseline

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// signature describes a program over one period to the EAR-like governor.
type signature struct {
	Time  float64 // ns
	CPI   float64 // core cycles per instruction
	TPI   float64 // lines moved by memory per instruction
	Power float64 // W, processor and memory
}

// Projection carries a signature over to another frequency (basic_model.c). CPI' = D CPI + E TPI +
// F, and the time follows; Power' = A Power + B TPI + C.
type Projection struct{ CPI, Power plane }

// Model holds a projection for each pair of states, [from][to].
type Model struct {
	Table       Table
	Projections [][]Projection
}

// project gives time and power of s, which was taken at state from, at state to.
func (m *Model) project(s signature, from, to int) (ns, watts float64) {
	if from == to {
		return s.Time, s.Power
	}
	p := m.Projections[from][to]
	cpi := p.CPI.at(s.CPI, s.TPI)
	clock := float64(m.Table[from]) / float64(m.Table[to])
	return s.Time * cpi / s.CPI * clock, p.Power.at(s.Power, s.TPI)
}

// EAR is a governor in the manner of EAR's min_energy policy: each period it takes a signature,
// projects it to every state and takes the one of least energy whose time stays below that at the
// reference frequency, times 1 + Penalty.
//
// EAR's period is about 10 s for programs that run for minutes to days. The simulated programs run
// for about a second; the period is scaled to be the same part of a two-minute run: about a tenth
// of a second for one of 1.2 s. The projections are learned beforehand on programs of their own
// (see Learn), as EAR's learning phase does. EAR takes the energy of the node; here it is that of
// processor and memory. Its control of uncore frequency, its vector-instruction and load-balance
// models and its detection of a program's outer loop are left out.
type EAR struct {
	Penalty   float64 // share of the time at the reference: 0.05 by default
	Signature time.Duration

	model *Model
	last  Sample
	begun bool
}

// SignaturePeriod is the default of EAR.Signature.
const SignaturePeriod = 100 * time.Millisecond

// NewEAR returns the governor with a model. The reference frequency is the model's highest.
func NewEAR(m *Model, penalty float64) *EAR {
	return &EAR{Penalty: penalty, Signature: SignaturePeriod, model: m}
}

// Name returns "ear".
func (*EAR) Name() string { return "ear" }

// Initial returns the reference frequency, at which EAR starts a program.
func (g *EAR) Initial() units.Frequency { return g.model.Table.max() }

// Period returns the interval between signatures.
func (g *EAR) Period() time.Duration { return g.Signature }

// Sample takes the signature since the last sample. A period in which the clock changed in the
// middle does not occur: the governor changes it at the end of periods only.
func (g *EAR) Sample(s *Sample) (units.Frequency, bool) {
	last := g.last
	g.last = *s
	if !g.begun {
		g.begun = true
		return 0, false
	}
	instructions := s.Instructions - last.Instructions
	passed := s.At.Sub(last.At)
	if instructions <= 0 || passed <= 0 {
		return 0, false
	}
	sig := signature{
		Time:  float64(passed),
		CPI:   (s.Cycles - last.Cycles) / instructions,
		TPI:   (s.Lines - last.Lines) / instructions,
		Power: float64((s.Energy - last.Energy).Over(passed)),
	}
	f := g.choose(sig, s.Frequency)
	return f, f != s.Frequency
}

// choose does the work of compute_reference and compute_cpu_freq_min_energy.
func (g *EAR) choose(sig signature, at units.Frequency) units.Frequency {
	t := g.model.Table
	from, _ := indexOf(t, t.closest(at))
	reference := len(t) - 1
	ns, watts := g.model.project(sig, from, reference)
	best, least := reference, ns*watts
	longest := ns * (1 + g.Penalty)
	for to := range t {
		if to == reference {
			continue
		}
		ns, watts := g.model.project(sig, from, to)
		if e := ns * watts; e < least && ns < longest {
			best, least = to, e
		}
	}
	return t[best]
}
