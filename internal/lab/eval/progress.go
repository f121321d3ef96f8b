package eval

import "sync"

// steps counts finished runs and reports each, in order.
type steps struct {
	mu       sync.Mutex
	done, of int
	tell     Progress
}

func newSteps(of int, tell Progress) *steps {
	if tell == nil {
		tell = func(int, int) {}
	}
	tell(0, of)
	return &steps{of: of, tell: tell}
}

func (s *steps) one() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	s.tell(s.done, s.of)
}
