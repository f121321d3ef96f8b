package cpufreq

import (
	"slices"

	"github.com/ebb-energy/ebb/units"
)

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

// backAgain puts back what the snapshot has, with its marks, and reports whether all is back.
func (s *session) backAgain() bool {
	snap, err := decode(s.rec.image)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(restoreControls(s.sys, snap.Controls),
		func(c ControlRestoration) bool { return c.Result == Failed })
}

// Withdraw implements Actuator.
func (s *session) Withdraw(because error) bool {
	if s.closed {
		return true
	}
	if !s.withdrawn() {
		s.withdrawal = because
	}
	return s.backAgain()
}

// Withdrawal implements Actuator.
func (s *session) Withdrawal() error { return s.withdrawal }

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
