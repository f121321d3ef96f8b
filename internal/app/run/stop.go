package run

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/command"
)

// stopPatience is the longest that a stop by the terminal waits for the governor's loop.
const stopPatience = 2 * time.Second

// errStopped is the reason for setting no clock any more.
var errStopped = errors.New("ebb was stopped by the terminal, and put everything back before")

// stop puts the clocks back before the terminal stops ebb, which is likely to stop the program as
// well: nobody would notice a clock that stays low. Others may set the clocks meanwhile, so ebb
// sets none afterwards. It is an observer, as the clocks are the loop's.
type stop struct {
	run      *run
	wake     func()
	suspend  func()
	patience time.Duration
	count    atomic.Int64 // requests so far
	// asked is the number of the request that waits. A further one meanwhile is the same stop.
	asked atomic.Int64
}

// Values of asked without a request that waits.
const (
	nobodyAsks = 0
	answering  = -1 // the loop puts the clocks back, or has ebb stopped
)

// obeys has a stop by the terminal wait until the clocks are back.
func (r *run) obeys(signals *command.Signals) {
	s := &stop{run: r, wake: r.Wake, suspend: command.Suspend, patience: stopPatience}
	r.stop = s
	signals.AtStop(func() {
		if command.Stoppable() {
			s.ask()
		}
	})
}

// ask has the loop answer. Where the loop hangs, ebb is stopped all the same, and the guardian puts
// the clocks back.
func (s *stop) ask() {
	n := s.count.Add(1)
	if !s.asked.CompareAndSwap(nobodyAsks, n) {
		return
	}
	s.wake()
	time.AfterFunc(s.patience, func() {
		if s.asked.CompareAndSwap(n, nobodyAsks) {
			s.suspend()
		}
	})
}

// Observe implements governor.Observer.
func (s *stop) Observe(*governor.Event, []governor.Action) {
	n := s.asked.Load()
	if n <= 0 || !s.asked.CompareAndSwap(n, answering) {
		return
	}
	if s.run.Actuator.Withdraw(errStopped) { // otherwise the guardian tries again
		s.run.end.unwatch() // a stopped ebb has not stalled
	}
	s.suspend()
	s.run.end.rewatch()
	s.asked.Store(nobodyAsks)
}

// over has a request that came too late for the loop stop ebb. The clocks are back.
func (s *stop) over() {
	if s.asked.Swap(nobodyAsks) > 0 {
		s.suspend()
	}
}
