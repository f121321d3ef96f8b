package profile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ebb-energy/ebb/internal/energy"
)

// Section is all the time in which the same iterations of the same regions were open.
type Section struct {
	Regions []Region `json:"regions"`
	FromNS  int64    `json:"from_ns"` // time at which it began first, since the target's start
	DurNS   int64    `json:"dur_ns"`
	Zones   []Sums   `json:"zones"` // zones in the profile's order
}

// Region is one iteration of a region that a program marked; 0 stands for several.
type Region struct {
	Name      string `json:"name"`
	Iteration int    `json:"iteration,omitempty"`
}

// Sums are a zone's amounts in a section, by rule: attributed + others + idle + unattributed =
// total. Others' and idle energy within a window is divided over its sections by their time.
type Sums struct {
	TotalNJ  []int64 `json:"total_nj"`
	Attr     []int64 `json:"attributed_nj"`
	OthersNJ []int64 `json:"others_nj"`
	OwnNJ    []int64 `json:"own_nj"`
	IdleNJ   []int64 `json:"idle_nj"`
	RestNJ   []int64 `json:"unattributed_nj"`
}

// Append adds a rule's amounts of a zone. Without totals nothing was used.
func (s *Sums) Append(totals []energy.Totals, zone int) {
	var t energy.Totals
	if zone < len(totals) {
		t = totals[zone]
	}
	s.TotalNJ = append(s.TotalNJ, int64(t.Measured))
	s.Attr = append(s.Attr, int64(t.Attributed))
	s.OthersNJ = append(s.OthersNJ, int64(t.Others))
	s.OwnNJ = append(s.OwnNJ, int64(t.Own))
	s.IdleNJ = append(s.IdleNJ, int64(t.Idle))
	s.RestNJ = append(s.RestNJ, int64(t.Unattributed))
}

// Cut is the part that a report is cut to: NAME, all iterations of a region; NAME#3, its third;
// NAME#3- from the third on; NAME#3-7.
type Cut struct {
	name        string
	first, last int // iterations; 0: all
}

// ParseCut reads a Cut.
func ParseCut(s string) (c Cut, err error) {
	name, iterations, some := strings.Cut(s, "#")
	if c.name = name; name == "" {
		return c, fmt.Errorf("%q names no region", s)
	}
	if !some {
		return c, nil
	}
	from, to, open := strings.Cut(iterations, "-")
	if c.first, err = strconv.Atoi(from); err != nil || c.first < 1 {
		return c, fmt.Errorf("%q: iterations are as %s#3, %s#3- or %s#3-7", s, name, name, name)
	}
	switch {
	case !open:
		c.last = c.first
	case to == "":
		c.last = 1<<31 - 1
	default:
		if c.last, err = strconv.Atoi(to); err != nil || c.last < c.first {
			return c, fmt.Errorf("%q: iterations are as %s#3, %s#3- or %s#3-7", s, name, name, name)
		}
	}
	return c, nil
}

// has reports whether a section is part of the cut.
func (c *Cut) has(s *Section) bool {
	return c.Has(s.Regions)
}

// Has reports whether a time in which these regions are open is part of the cut.
func (c *Cut) Has(open []Region) bool {
	return slices.ContainsFunc(open, func(r Region) bool {
		return r.Name == c.name &&
			(c.first == 0 || r.Iteration != 0 && c.first <= r.Iteration && r.Iteration <= c.last)
	})
}

// regions returns the names of the marked regions in order, with the number of their iterations as
// far as these are apart.
func (p *Profile) regions() (names []string, iterations map[string]int) {
	iterations = map[string]int{}
	for i := range p.Sections {
		for _, r := range p.Sections[i].Regions {
			if !slices.Contains(names, r.Name) {
				names = append(names, r.Name)
			}
			iterations[r.Name] = max(iterations[r.Name], r.Iteration)
		}
	}
	slices.Sort(names)
	return names, iterations
}

// Within is the part of the profile that lies in a cut. It has no traffic and no calls, which are
// not counted by section. The time line stays the run's.
func (p *Profile) Within(c Cut) (*Profile, error) {
	in := map[int]bool{}
	for i := range p.Sections {
		if c.has(&p.Sections[i]) {
			in[i] = true
		}
	}
	if len(in) == 0 {
		return nil, p.noRegion(c)
	}
	return p.of(in), nil
}

// noRegion returns an error with the reason why nothing lies in a cut.
func (p *Profile) noRegion(c Cut) error {
	names, iterations := p.regions()
	switch {
	case p.Sections == nil:
		return fmt.Errorf("no region %q: the run looked for no marks (ebb run --regions does)",
			c.name)
	case len(names) == 0:
		return fmt.Errorf("no region %q: the program marked none", c.name)
	case slices.Contains(names, c.name):
		return fmt.Errorf("region %q has %d iterations that are apart", c.name, iterations[c.name])
	}
	shown := names[:min(len(names), 10)]
	return fmt.Errorf("no region %q; there are %s", c.name, strings.Join(shown, ", "))
}

// Whole returns the profile without sections, as if nothing had been marked.
func (p *Profile) Whole() *Profile {
	if len(p.Sections) < 2 {
		return p
	}
	all := map[int]bool{}
	for i := range p.Sections {
		all[i] = true
	}
	out := p.of(all)
	out.WallNS, out.OwnRunNS = p.WallNS, p.OwnRunNS
	out.Network, out.Functions, out.Taken = p.Network, p.Functions, p.Taken
	out.Counts = p.Counts
	return out
}

// of returns the part of the profile that lies in some sections.
func (p *Profile) of(in map[int]bool) *Profile {
	out := *p
	out.Sections, out.Network, out.Functions, out.OwnRunNS = nil, nil, nil, 0
	out.Counts = nil
	out.WallNS = 0
	out.Zones = make([]Zone, len(p.Zones))
	for z := range out.Zones {
		out.Zones[z] = emptied(&p.Zones[z], len(p.Rules))
	}
	for i := range p.Sections {
		s := &p.Sections[i]
		if !in[i] {
			continue
		}
		out.WallNS += s.DurNS
		for z := range out.Zones {
			out.Zones[z].add(&s.Zones[z])
		}
	}
	out.Stacks = merged(p.Stacks, in)
	spread(out.Stacks)
	out.Stacks = slices.DeleteFunc(out.Stacks, func(s Stack) bool {
		return s.Samples == 0 && s.CPUNS == 0 &&
			!slices.ContainsFunc(s.EnergyNJ, func(e int64) bool { return e != 0 })
	})
	out.Taken = 0
	for i := range out.Stacks {
		out.Taken += uint64(out.Stacks[i].Samples)
	}
	return &out
}

// emptied returns a zone without amounts.
func emptied(z *Zone, rules int) Zone {
	out := Zone{Name: z.Name, Source: z.Source, Model: z.Model}
	for _, l := range []*[]int64{&out.Attr, &out.OthersNJ, &out.OwnNJ, &out.IdleNJ, &out.RestNJ} {
		*l = make([]int64, rules)
	}
	return out
}

// add adds a section's amounts. The total is the same by every rule up to how the rest of a window
// is divided; that of the first is taken, and the others' rest follows.
func (z *Zone) add(s *Sums) {
	z.TotalNJ += s.TotalNJ[0]
	for j := range z.Attr {
		z.Attr[j] += s.Attr[j]
		z.OthersNJ[j] += s.OthersNJ[j]
		z.OwnNJ[j] += s.OwnNJ[j]
		z.IdleNJ[j] += s.IdleNJ[j]
		z.RestNJ[j] += s.RestNJ[j] + s.TotalNJ[0] - s.TotalNJ[j]
	}
}
