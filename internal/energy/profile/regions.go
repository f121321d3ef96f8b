package profile

import (
	"cmp"
	"errors"
	"slices"
)

// RegionRow has the amounts of a region, or of one of its iterations.
type RegionRow struct {
	Name      string `json:"name"`
	Iteration int    `json:"iteration,omitempty"` // number of the iteration; 0: all of them
	// Iterations is the number of iterations that are apart; 0 on the row of one.
	Iterations int   `json:"iterations,omitempty"`
	FromNS     int64 `json:"from_ns"` // since the target's start, to a window
	DurNS      int64 `json:"dur_ns"`
	Energy     int64 `json:"energy_nj"` // attributed energy in the zones that are added up
	TimeNS     int64 `json:"cpu_ns"`
	TotalNJ    int64 `json:"total_nj"` // total energy of these zones, with others and idle
	Samples    int   `json:"samples"`
}

// errNoMarks: a run without regions.
var errNoMarks = errors.New("the run looked for no marks: use ebb run --methods --regions")

// RegionRows returns the regions in order of name, each followed by its iterations.
func (p *Profile) RegionRows(rule int) ([]RegionRow, error) {
	if p.Sections == nil {
		return nil, errNoMarks
	}
	cpu, samples, energy := p.bySection(rule)
	names := make([]string, len(p.Zones))
	for i := range p.Zones {
		names[i] = p.Zones[i].Name
	}
	counted := Counted(names)
	rows := map[Region]*RegionRow{}
	add := func(r Region, i int) {
		s := &p.Sections[i]
		row := rows[r]
		if row == nil {
			row = &RegionRow{Name: r.Name, Iteration: r.Iteration, FromNS: s.FromNS}
			rows[r] = row
		}
		row.FromNS = min(row.FromNS, s.FromNS)
		row.DurNS += s.DurNS
		row.TimeNS += cpu[i]
		row.Samples += samples[i]
		row.Energy += energy[i]
		for z := range s.Zones {
			if counted[z] {
				row.TotalNJ += s.Zones[z].TotalNJ[rule]
			}
		}
	}
	for i := range p.Sections {
		for _, r := range p.Sections[i].Regions {
			add(Region{Name: r.Name}, i)
			if r.Iteration > 0 {
				add(r, i)
			}
		}
	}
	_, iterations := p.regions()
	out := make([]RegionRow, 0, len(rows))
	for r, row := range rows {
		if r.Iteration == 0 {
			row.Iterations = iterations[r.Name]
		}
		out = append(out, *row)
	}
	slices.SortFunc(out, func(a, b RegionRow) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Iteration, b.Iteration))
	})
	return out, nil
}

// bySection returns the CPU time, the samples and the energy by a rule in each section.
func (p *Profile) bySection(rule int) (cpu []int64, samples []int, energy []int64) {
	n := len(p.Sections)
	cpu, samples, energy = make([]int64, n), make([]int, n), make([]int64, n)
	for i := range p.Stacks {
		s := &p.Stacks[i]
		if s.Section < n {
			cpu[s.Section] += s.CPUNS
			samples[s.Section] += s.Samples
			energy[s.Section] += s.EnergyNJ[rule]
		}
	}
	return cpu, samples, energy
}
