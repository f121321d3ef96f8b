package cpufreq

import "github.com/ebb-energy/ebb/units"

// withdrawn reports whether the guard has put the controls back. It is called before and after
// controls are written, because a write can pass the guard's: then what was written meanwhile is
// put back. The snapshot keeps its marks, so that Close puts everything back once more.
func (s *session) withdrawn() bool {
	if s.withdrawal != nil || s.guard == nil {
		return s.withdrawal != nil
	}
	if s.withdrawal = s.guard.PutBack(); s.withdrawal == nil {
		return false
	}
	s.backAgain()
	return true
}

// backAgain puts back what the snapshot has, with its marks.
func (s *session) backAgain() {
	if snap, err := decode(s.rec.image); err == nil {
		restoreControls(s.sys, snap.Controls)
	}
}

// Withdraw implements Actuator.
func (s *session) Withdraw(because error) {
	if !s.closed && !s.withdrawn() {
		s.withdrawal = because
		s.backAgain()
	}
}

// withdraw reports every domain as put back. Its clock is now the choice of the kernel's governor
// or of the owner; for a running program it is taken to be the highest.
func (s *session) withdraw(f units.Frequency) []Outcome {
	s.reported = true
	for i := range s.targets {
		t := &s.targets[i]
		s.outcomes[i] = Outcome{
			Domain: t.id, Kind: Withdrawn, Asked: atLeast(t.states,
				f), Found: t.states[len(t.states)-1], Err: s.withdrawal,
		}
	}
	return s.outcomes
}
