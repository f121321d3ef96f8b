package profile

import (
	"errors"
	"fmt"
)

// errMalformed: a profile contradicts itself, for example because it was edited.
var errMalformed = errors.New("the attribution contradicts itself")

// Check reports whether indices and lengths fit, so that views of a profile that was read need not
// ask again, and whether it adds up.
func (p *Profile) Check() error {
	wrong := func(what string, i int) error {
		return fmt.Errorf("%w: %s %d", errMalformed, what, i)
	}
	if len(p.Rules) == 0 {
		return fmt.Errorf("%w: no rule", errMalformed)
	}
	for i := range p.Zones {
		z := &p.Zones[i]
		for _, l := range [][]int64{z.Attr, z.OthersNJ, z.IdleNJ, z.RestNJ} {
			if len(l) != len(p.Rules) {
				return wrong("zone", i)
			}
		}
		if len(z.OwnNJ) != 0 && len(z.OwnNJ) != len(p.Rules) {
			return wrong("zone", i)
		}
		for j := range p.Rules {
			if z.Attr[j]+z.OthersNJ[j]+z.IdleNJ[j]+z.RestNJ[j] != z.TotalNJ {
				return fmt.Errorf("%w: zone %s does not add up by rule %s", errMalformed, z.Name,
					p.Rules[j])
			}
		}
	}
	if err := p.checkSections(); err != nil {
		return err
	}
	for i := range p.Stacks {
		s := &p.Stacks[i]
		if s.Section < 0 || s.Section > 0 && s.Section >= len(p.Sections) ||
			len(s.ByZone) != len(p.Zones) && len(p.Sections) > 0 {
			return wrong("stack", i)
		}
		if s.Thread < 0 || s.Thread >= len(p.Threads) ||
			s.Virtual < 0 || s.Virtual > len(p.VirtualThreads) || len(s.EnergyNJ) != len(p.Rules) ||
			s.Samples < 0 {
			return wrong("stack", i)
		}
		if !p.known(s.Frames) {
			return wrong("stack", i)
		}
		for j := range s.ByFrequency {
			if len(s.ByFrequency[j].EnergyNJ) != len(p.Rules) {
				return wrong("stack", i)
			}
		}
	}
	for i := range p.Nameless {
		if len(p.Nameless[i].EnergyNJ) != len(p.Rules) {
			return wrong("file without names", i)
		}
	}
	if p.Network == nil {
		return nil
	}
	for i := range p.Network.Transfers {
		if x := &p.Network.Transfers[i]; x.Thread < 0 || x.Thread >= len(p.Threads) ||
			!p.known(x.Frames) {
			return wrong("transfer", i)
		}
	}
	return nil
}

// known reports whether all of a stack's frames are there.
func (p *Profile) known(frames []int) bool {
	for _, f := range frames {
		if f < 0 || f >= len(p.Frames) {
			return false
		}
	}
	return true
}

// checkSections reports whether the sections fit, and whether each adds up.
func (p *Profile) checkSections() error {
	for i := range p.Sections {
		s := &p.Sections[i]
		if len(s.Zones) != len(p.Zones) || s.DurNS < 0 {
			return fmt.Errorf("%w: section %d", errMalformed, i)
		}
		for k := range s.Zones {
			z := &s.Zones[k]
			for _, l := range [][]int64{z.TotalNJ, z.Attr, z.OthersNJ, z.OwnNJ, z.IdleNJ,
				z.RestNJ} {
				if len(l) != len(p.Rules) {
					return fmt.Errorf("%w: section %d", errMalformed, i)
				}
			}
			for j := range p.Rules {
				if z.Attr[j]+z.OthersNJ[j]+z.IdleNJ[j]+z.RestNJ[j] != z.TotalNJ[j] {
					return fmt.Errorf("%w: section %d does not add up by rule %s", errMalformed, i,
						p.Rules[j])
				}
			}
		}
	}
	return nil
}
