package cpufreq

import "github.com/ebb-energy/ebb/units"

// withdrawn reports whether the guard has put the controls back. It is asked before and after controls
// are written, because a write can pass the guard's: what was written meanwhile is put back when
// that shows. The snapshot keeps its marks, so that Close puts everything back once more.
func (s *session) withdrawn() bool {
	if s.withdrawal != nil || s.guard == nil {
		return s.withdrawal != nil
	}
	if s.withdrawal = s.guard.PutBack(); s.withdrawal == nil {
		return false
	}
	if snap, err := decode(s.rec.image); err == nil {
		restoreControls(s.sys, snap.Controls)
	}
	return true
}

// withdraw says of every domain that it was put back. Which clock it has is now the kernel's
// governor's choice, or was the owner's: for a program that runs it is taken to be the highest.
func (s *session) withdraw(f units.Frequency) []Outcome {
	for i := range s.targets {
		t := &s.targets[i]
		s.outcomes[i] = Outcome{
			Domain: t.id, Kind: Withdrawn, Asked: atLeast(t.states,
				f), Found: t.states[len(t.states)-1], Err: s.withdrawal,
		}
	}
	return s.outcomes
}
