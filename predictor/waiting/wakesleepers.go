package waiting

import "github.com/ebb-energy/ebb/epochs"

// sleepers are the threads that sleep for a timer or a device, in whatever work they began to. One
// that wakes in later work did not wait for those that run.
type sleepers map[epochs.TID]struct{}

// sleep notes that a thread sleeps, for a timer or a device or not.
func (s *sleepers) sleep(t epochs.TID, other bool) {
	switch {
	case !other:
		delete(*s, t)
	case *s == nil:
		*s = sleepers{t: {}}
	default:
		(*s)[t] = struct{}{}
	}
}

// wake says whether a thread that wakes slept for a timer or a device.
func (s sleepers) wake(t epochs.TID) bool {
	_, ok := s[t]
	delete(s, t)
	return ok
}
