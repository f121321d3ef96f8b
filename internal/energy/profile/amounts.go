package profile

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// Amounts writes what a profile divides: energy, or CPU time where nothing says what the machine
// draws.
type Amounts struct{ time bool }

// Amounts returns how the profile's amounts are written.
func (p *Profile) Amounts() Amounts { return Amounts{time: !p.Joules()} }

// Joules reports whether the profile has energies. Without a meter, and without a model that
// describes the machine, its amounts are CPU time, in ns.
func (p *Profile) Joules() bool {
	for i := range p.Zones {
		if !energy.Source(p.Zones[i].Source).Joules() {
			return false
		}
	}
	return true
}

// divided returns the name of what is divided, for a sentence.
func (p *Profile) divided() string {
	if p.Joules() {
		return "energy"
	}
	return "CPU time"
}

// Joules reports whether the amounts are energies.
func (a Amounts) Joules() bool { return !a.time }

// Name returns what an amount is called.
func (a Amounts) Name() string {
	if a.time {
		return "CPU time"
	}
	return "energy"
}

// One writes an amount by itself.
func (a Amounts) One(v int64) string {
	if !a.time {
		return units.Energy(v).String()
	}
	return printable.Duration(time.Duration(v))
}

// Column returns a function that writes amounts in one unit, chosen for the largest of them.
func (a Amounts) Column(most int64) func(int64) string {
	if !a.time {
		return unitOf(most)
	}
	return printable.Seconds
}

// ofCall writes the amount of an invocation, which can be less than one.
func (a Amounts) ofCall(v float64) string {
	switch {
	case !a.time:
		return perCall(v)
	case v > 0 && v < 10:
		return fmt.Sprintf("%.2g ns", v)
	}
	return printable.Duration(time.Duration(min(v, 1<<62)))
}

// ByTime makes the amounts CPU time, where the model they came from is not believed. Of the rules,
// which divide energy in different ways, only the first remains.
func (p *Profile) ByTime() {
	times := p.StackTimes()
	var sum int64
	for i := range p.Stacks {
		s := &p.Stacks[i]
		s.EnergyNJ, s.ByZone = []int64{times[i]}, []int64{times[i]}
		s.Squares = 0
		if s.Samples > 0 {
			s.Squares = float64(times[i]) * float64(times[i]) / float64(s.Samples)
		}
		for j := range s.ByFrequency {
			f := &s.ByFrequency[j]
			f.EnergyNJ, f.Squares = []int64{f.CPUNS}, 0
			if f.Samples > 0 {
				f.Squares = float64(f.CPUNS) * float64(f.CPUNS) / float64(f.Samples)
			}
		}
		sum += times[i]
	}
	none := []int64{0}
	p.Rules = p.Rules[:min(1, len(p.Rules))]
	p.Zones = []Zone{{Name: "cpu", Source: string(energy.CPUTime), TotalNJ: sum,
		Attr: []int64{sum}, OthersNJ: none, IdleNJ: none, RestNJ: none}}
	for i := range p.Timeline {
		p.Timeline[i].Watts = 0
	}
	if p.Functions != nil {
		p.Functions.byTime()
	}
	files := p.Nameless
	p.Nameless = nil
	p.FindNameless(files)
	p.FindVirtual()
	if p.Counts != nil {
		p.priceCalls(p.Counts)
	}
	cpu, _, _ := p.bySection(0)
	for i := range p.Sections {
		p.Sections[i].Zones = []Sums{{TotalNJ: []int64{cpu[i]}, Attr: []int64{cpu[i]},
			OthersNJ: none, OwnNJ: none, IdleNJ: none, RestNJ: none}}
	}
}

// byTime sets the invocations' energies to CPU time, of which only the mean is known.
func (f *Functions) byTime() {
	f.InstructionNJ = 0
	for i := range f.List {
		x := &f.List[i]
		x.MeanNJ = x.CPUNS
		x.TotalNJ = int64(min(float64(x.CPUNS)*float64(x.Calls), 1<<62))
		if x.Recursive { // its energy by samples is not believed
			x.TotalNJ = 0
		}
		x.LowNJ, x.HighNJ, x.Spread = nil, nil, nil
		x.DeviationNJ, x.LeastNJ, x.MostNJ, x.SampledNJ = 0, 0, 0, 0
	}
}
