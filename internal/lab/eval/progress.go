package eval

import "sync"

// steps counts finished runs and reports each, in order.
type steps struct {
	mu       sync.Mutex
	done, of int
	report   Progress
}

func newSteps(of int, report Progress) *steps {
	if report == nil {
		report = func(int, int) {}
	}
	report(0, of)
	return &steps{of: of, report: report}
}

func (s *steps) one() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	s.report(s.done, s.of)
}
