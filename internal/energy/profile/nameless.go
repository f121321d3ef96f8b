package profile

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Nameless is a file that has no names for functions in which energy was used.
type Nameless struct {
	Module  string `json:"module"` // module as in Frame
	Path    string `json:"path"`   // path as the program sees it
	BuildID string `json:"build_id,omitempty"`
	// DebugFile is the path of its symbols where packages of debug symbols install them; "" without
	// a build id.
	DebugFile string `json:"debug_file,omitempty"`
	// Distribution is the ID in the os-release file of the program's root. Like are the
	// distributions that it is made from, Codename is its version's. Package has the file, where
	// that is known.
	Distribution string `json:"distribution,omitempty"`
	Like         string `json:"distribution_like,omitempty"`
	Codename     string `json:"distribution_codename,omitempty"`
	Package      string `json:"package,omitempty"`
	// EnergyNJ is the energy of such functions themselves, by rule.
	EnergyNJ []int64 `json:"energy_nj"`
}

// called returns the file's name in a sentence. That is its path, or, for a program started by
// another name through a link, such as redis-server, that name, which its functions have too.
func (n *Nameless) called() string {
	if path.Base(strings.TrimSuffix(n.Path, " (deleted)")) != n.Module {
		return cut(n.Module)
	}
	return cut(n.Path)
}

// FindNameless finds the files that have functions without a name in samples, or for a unit of the
// view by method, and the energy that such functions used themselves.
func (p *Profile) FindNameless(files []Nameless) {
	used, booked := p.nameless(func(s *Stack) *Frame {
		if len(s.Frames) == 0 {
			return nil
		}
		return &p.Frames[s.Frames[0]]
	}), p.bookedNameless()
	weight := map[string]int64{}
	for _, n := range files {
		weight[n.Path] = max(first(used[n.Module]), first(booked[n.Module]))
		if used[n.Module] == nil && booked[n.Module] == nil {
			continue
		}
		if n.EnergyNJ = used[n.Module]; n.EnergyNJ == nil {
			n.EnergyNJ = make([]int64, len(p.Rules))
		}
		p.Nameless = append(p.Nameless, n)
		delete(used, n.Module) // one of several files of that name
		delete(booked, n.Module)
	}
	slices.SortStableFunc(p.Nameless,
		func(a, b Nameless) int { return cmp.Compare(weight[b.Path], weight[a.Path]) })
}

// first returns the first of some amounts, 0 for none.
func first(amounts []int64) int64 {
	if len(amounts) == 0 {
		return 0
	}
	return amounts[0]
}

// nameless adds up the energy of the stacks whose frame, as of returns it, is a function without a
// name, by file and rule.
func (p *Profile) nameless(of func(*Stack) *Frame) map[string][]int64 {
	sums := map[string][]int64{}
	for i := range p.Stacks {
		s := &p.Stacks[i]
		f := of(s)
		if f == nil || f.Kind != "placed" && (f.Kind != "unresolved" || f.Module == "") {
			continue
		}
		if sums[f.Module] == nil {
			sums[f.Module] = make([]int64, len(p.Rules))
		}
		for rule, e := range s.EnergyNJ {
			sums[f.Module][rule] += e
		}
	}
	return sums
}

// bookedNameless is the energy of the units without a name of the view by method, by file and rule.
func (p *Profile) bookedNameless() map[string][]int64 {
	v := View{by: "method", skip: Library, profile: p}
	return p.nameless(v.booked)
}

// booked returns the function that a stack is booked to; nil where the unit is no function.
func (v *View) booked(s *Stack) *Frame {
	if f := v.application(s); f != nil {
		return f
	}
	if v.profile.Threads[s.Thread].Phase != Application || v.collects(s) {
		return nil
	}
	for _, i := range s.Frames {
		if f := &v.profile.Frames[i]; f.Kind != "kernel" {
			return f
		}
	}
	return nil
}

// noticeable is the least share of the energy at which functions without a name are worth a line.
const noticeable = 0.01

// WithoutNames returns what would name nameless functions, and by which command, for files to which
// a noticeable share of the energy is booked or whose nameless functions used it themselves, by a
// rule. It also returns what energy virtual threads have, which have no names here.
func (p *Profile) WithoutNames(rule int) (lines []string) {
	var all int64
	for i := range p.Stacks {
		all += p.Stacks[i].EnergyNJ[rule]
	}
	booked := p.bookedNameless()
	var without []*Nameless
	for i, n := range p.Nameless {
		own, units := share(n.EnergyNJ[rule], all), 0.0
		if b := booked[n.Module]; b != nil {
			units = share(b[rule], all)
			delete(booked, n.Module)
		}
		if max(own, units) < noticeable {
			continue
		}
		what := "; it has no build id to find its symbols by"
		if n.BuildID != "" {
			what = fmt.Sprintf("; its symbols would be in %s", n.DebugFile)
			without = append(without, &p.Nameless[i])
		}
		if units < noticeable {
			lines = append(lines, fmt.Sprintf("%s of the %s is used in functions of %s that "+
				"have no name, and booked to their callers%s", printable.Percent(own), p.divided(),
				n.called(), what))
			continue
		}
		lines = append(lines, fmt.Sprintf("%s of the %s is booked to functions of %s that "+
			"have no name; such functions used %s themselves%s", printable.Percent(units),
			p.divided(), n.called(), printable.Percent(own), what))
	}
	return slices.Concat(lines, toName(without), p.unnamed(rule),
		p.madeWithoutNames(rule), p.virtual(rule))
}
