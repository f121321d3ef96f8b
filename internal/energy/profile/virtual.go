package profile

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// continuation is the function in which a thread of Java runs the virtual threads that it carries.
// What it called belongs to a virtual thread (java.lang.VirtualThread in OpenJDK from 21 on).
const continuation = "jdk.internal.vm.Continuation.run"

// FindVirtual adds up, by rule, what Java's virtual threads used: for those who read the profile
// without its stacks.
func (p *Profile) FindVirtual() {
	p.VirtualNJ = nil
	says := p.says()
	for i := range p.Stacks {
		s := &p.Stacks[i]
		if !p.isVirtual(s, says) {
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

// virtual says which share of the energy Java's virtual threads used, and of how much of it the
// machine did not say by which. The kernel knows only the threads that carry them.
func (p *Profile) virtual(rule int) (lines []string) {
	if p.RateHz == 0 {
		return p.canCarry()
	}
	var all, part, unknown int64
	says := p.says()
	for i := range p.Stacks {
		s := &p.Stacks[i]
		e := s.EnergyNJ[rule]
		all += e
		switch {
		case !p.isVirtual(s, says):
			continue
		case s.Virtual == 0 || !p.VirtualThreads[s.Virtual-1].known():
			unknown += e
		}
		part += e
	}
	switch used := share(part, all); {
	case used < noticeable:
	case unknown == part:
		lines = append(lines, printable.Percent(used)+" of the "+p.divided()+" is used by "+
			"virtual threads of Java: the line of a thread that carries them has that of all "+
			"that it carried")
	default:
		line := printable.Percent(used) + " of the " + p.divided() + " is used by virtual " +
			"threads of Java, which have lines of their own by thread"
		if u := share(unknown, all); u >= noticeable {
			line += "; of " + printable.Percent(u) + " it is not known by which"
		}
		lines = append(lines, line)
	}
	return lines
}

// carrier begins the kernel's names of the threads on which Java runs virtual threads
// (java.lang.VirtualThread in OpenJDK from 21 on). Other pools of that kind have such names as
// well.
const carrier = "ForkJoinPool-"

// canCarry says of a report without samples which threads can have carried virtual ones, where
// these ran for a noticeable share of the time.
func (p *Profile) canCarry() []string {
	var all, part int64
	for i := range p.Threads {
		t := &p.Threads[i]
		all += t.RunNS
		if strings.HasPrefix(t.Comm, carrier) {
			part += t.RunNS
		}
	}
	if share(part, all) < noticeable {
		return nil
	}
	return []string{"threads called " + carrier + "N can carry virtual threads of Java: " +
		"--methods shows these, --threads what carries them"}
}

// says returns the processes whose machines say who is mounted.
func (p *Profile) says() map[int32]bool {
	says := map[int32]bool{}
	for i := range p.VirtualThreads {
		says[p.VirtualThreads[i].PID] = true
	}
	return says
}

// isVirtual reports whether a stack is of a virtual thread: by its frames where the machine does
// not say it.
func (p *Profile) isVirtual(s *Stack, says map[int32]bool) bool {
	return s.Virtual > 0 || !says[p.Threads[s.Thread].PID] && p.InContinuation(s)
}

// InContinuation reports whether a virtual thread was mounted.
func (p *Profile) InContinuation(s *Stack) bool {
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

// known reports whether the machine said which one was mounted.
func (t *VirtualThread) known() bool { return t.ID > 0 || t.More }

// VirtualUnits names the lines of the virtual threads, by their places.
func (p *Profile) VirtualUnits() (names []string) {
	pids := p.says()
	delete(pids, 0)
	for i := range p.VirtualThreads {
		names = append(names, p.VirtualThreads[i].unit(len(pids) > 1))
	}
	return names
}

// unit names the line of a virtual thread. Without its process, those of several could have one
// line.
func (t *VirtualThread) unit(several bool) string {
	of := ""
	if several && t.PID != 0 {
		of = fmt.Sprintf(" of %d", t.PID)
	}
	switch {
	case t.More:
		return "(more virtual threads)"
	case t.ID == 0:
		return "(virtual threads" + of + ", not known which)"
	case t.Name == "":
		return fmt.Sprintf("(virtual thread %d%s)", t.ID, of)
	}
	return fmt.Sprintf("%s (virtual thread %d%s)", t.Name, t.ID, of)
}

// Ran returns the name of the thread that a stack is of: the virtual one's, where one was mounted.
func (p *Profile) Ran(s *Stack) string {
	if s.Virtual > 0 {
		return cmp.Or(p.VirtualThreads[s.Virtual-1].Name, "(virtual threads)")
	}
	return p.Threads[s.Thread].Title()
}

// carries reports whether a row of the view by thread has a part only of what its threads used:
// which virtual thread they carried is sampled.
func (p *Profile) carries(v *View, r *Row) bool {
	if v.by != "thread" || len(p.VirtualThreads) == 0 {
		return false
	}
	if v.carriers == nil {
		v.carriers = map[int]bool{}
		for i := range p.Stacks {
			if p.Stacks[i].Virtual > 0 {
				v.carriers[p.Stacks[i].Thread] = true
			}
		}
	}
	for thread := range r.threads {
		if v.carriers[thread] {
			return true
		}
	}
	return false
}
