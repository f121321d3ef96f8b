package profile

import "github.com/ebb-energy/ebb/internal/render/printable"

// continuation is the function in which a thread of Java runs the virtual threads that it carries.
// What it called belongs to a virtual thread (java.lang.VirtualThread in OpenJDK from 21 on).
const continuation = "jdk.internal.vm.Continuation.run"

// FindVirtual adds up, by rule, what Java's virtual threads used: for those who read the profile
// without its stacks.
func (p *Profile) FindVirtual() {
	p.VirtualNJ = nil
	for i := range p.Stacks {
		s := &p.Stacks[i]
		if !p.inContinuation(s) {
			continue
		}
		if p.VirtualNJ == nil {
			p.VirtualNJ = make([]int64, len(p.Rules))
		}
		for j, e := range s.EnergyNJ {
			p.VirtualNJ[j] += e
		}
	}
}

// virtual says which share of the energy Java's virtual threads used. The kernel knows only the
// threads that carry them, and a stack does not say which it was.
func (p *Profile) virtual(rule int) (lines []string) {
	var all, part int64
	for i := range p.Stacks {
		s := &p.Stacks[i]
		all += s.EnergyNJ[rule]
		if p.inContinuation(s) {
			part += s.EnergyNJ[rule]
		}
	}
	if part := share(part, all); part >= noticeable {
		lines = append(lines, printable.Percent(part)+" of the "+p.divided()+" is used by "+
			"virtual threads of Java: the line of a thread that carries them has that of all "+
			"that it carried")
	}
	return lines
}

// inContinuation reports whether a virtual thread was mounted.
func (p *Profile) inContinuation(s *Stack) bool {
	inside := false // in code of the program or the virtual machine that the continuation called
	for _, i := range s.Frames {
		f := &p.Frames[i]
		if f.Module == "[java]" && f.Name == continuation {
			return inside
		}
		inside = inside || f.Kind != "kernel"
	}
	return false
}
