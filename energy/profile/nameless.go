package profile

import (
	"cmp"
	"fmt"
	"slices"
)

// Nameless is a file that has no names for functions in which energy was used.
type Nameless struct {
	Module  string `json:"module"` // as in Frame
	Path    string `json:"path"`   // as the program sees it
	BuildID string `json:"build_id,omitempty"`
	// DebugFile is where its symbols would be found, as packages of debug symbols install them; ""
	// where it has no build id.
	DebugFile string `json:"debug_file,omitempty"`
	// EnergyNJ is the energy of such functions themselves, by rule.
	EnergyNJ []int64 `json:"energy_nj"`
}

// FindNameless finds the files that have functions without a name in samples, and the energy that
// those used.
func (p *Profile) FindNameless(files []Nameless) {
	used := map[string][]int64{}
	for i := range p.Stacks {
		s := &p.Stacks[i]
		if len(s.Frames) == 0 {
			continue
		}
		f := &p.Frames[s.Frames[0]]
		if f.Kind != "placed" && (f.Kind != "unresolved" || f.Module == "") {
			continue
		}
		if used[f.Module] == nil {
			used[f.Module] = make([]int64, len(p.Rules))
		}
		for rule, e := range s.EnergyNJ {
			used[f.Module][rule] += e
		}
	}
	for _, n := range files {
		if n.EnergyNJ = used[n.Module]; n.EnergyNJ != nil {
			p.Nameless = append(p.Nameless, n)
			delete(used, n.Module) // one of several files of that name
		}
	}
	slices.SortStableFunc(p.Nameless,
		func(a, b Nameless) int { return cmp.Compare(b.EnergyNJ[0], a.EnergyNJ[0]) })
}

// noticeable is the share of the energy from which on functions without a name are worth a line.
const noticeable = 0.01

// WithoutNames says of the files in whose functions without a name a noticeable share of the energy
// was used, by a rule, what would name them.
func (p *Profile) WithoutNames(rule int) (lines []string) {
	var all int64
	for i := range p.Stacks {
		all += p.Stacks[i].EnergyNJ[rule]
	}
	for _, n := range p.Nameless {
		part := share(n.EnergyNJ[rule], all)
		if part < noticeable {
			continue
		}
		what := "; it has no build id to find its symbols by"
		if n.BuildID != "" {
			what = fmt.Sprintf("; its distribution's package of debug symbols would name them (%s)",
				n.DebugFile)
		}
		lines = append(
			lines, fmt.Sprintf("%s of the energy is used in functions of %s that have no name%s",
				percent(part), cut(n.Path), what),
		)
	}
	return lines
}
