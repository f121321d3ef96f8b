package nonscaling

import "github.com/ebb-energy/ebb/epochs"

// sharing finds out whether another core may have lines of the program, that is whether a second
// thread ran. A thread that is alone, and stays on its core, finds what its own caches do not have
// in the shared cache or in memory.
type sharing struct {
	without bool // the rule is left out

	seen, several bool
	first         epochs.TID
	ended         bool // the first thread ended; another may have its id since
}

func newSharing(without Rules) sharing {
	return sharing{without: without&LoneThread != 0}
}

// look takes an epoch's rows in.
func (s *sharing) look(e *epochs.Epoch) {
	if s.several {
		return
	}
	for i := range e.Rows {
		switch t := e.Rows[i].Thread; {
		case t == epochs.NoThread:
		case !s.seen:
			s.seen, s.first = true, t
		case t != s.first || s.ended:
			s.several = true
		}
	}
	for i := range e.Ends {
		x := &e.Ends[i]
		s.ended = s.ended || x.Kind == epochs.EndExit && x.Thread == s.first
	}
}

// alone reports whether one thread has run, and no other.
func (s *sharing) alone() bool { return s.seen && !s.several && !s.without }
