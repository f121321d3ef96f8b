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
	run   *run
	count atomic.Int64 // requests so far
	asked atomic.Int64 // number of the request that waits; 0: none does
}

// obeys has a stop by the terminal wait until the clocks are back.
func (r *run) obeys(signals *command.Signals) {
	s := &stop{run: r}
	r.stop = s
	signals.AtStop(func() {
		n := s.count.Add(1)
		s.asked.Store(n)
		r.Wake()
		time.AfterFunc(stopPatience, func() {
			if s.asked.CompareAndSwap(n, 0) {
				command.Suspend()
			}
		})
	})
}

// Observe implements governor.Observer.
func (s *stop) Observe(*governor.Event, []governor.Action) {
	if s.asked.Load() == 0 {
		return
	}
	s.run.end.unwatch() // a stopped ebb has not stalled
	s.run.Actuator.Withdraw(errStopped)
	if s.asked.Swap(0) != 0 { // one stop for all that was asked meanwhile
		command.Suspend()
	}
	s.run.end.rewatch()
}
