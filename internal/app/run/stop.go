package run

import (
	"sync/atomic"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/command"
)

// stopPatience is the longest that a stop by the terminal waits for the governor's loop.
const stopPatience = 2 * time.Second

// stop puts the clocks back before the terminal stops ebb, which is likely to stop the program as
// well: nobody would notice a clock that stays low. It is an observer, as the clocks are the
// loop's.
type stop struct {
	run   *run
	asked atomic.Bool
}

// obeys has a stop by the terminal wait until the clocks are back.
func (r *run) obeys(signals *command.Signals) {
	s := &stop{run: r}
	r.stop = s
	signals.Aside(func() {
		s.asked.Store(true)
		r.Wake()
		time.AfterFunc(stopPatience, func() {
			if s.asked.CompareAndSwap(true, false) {
				command.Suspend()
			}
		})
	})
}

// Observe implements governor.Observer.
func (s *stop) Observe(*governor.Event, []governor.Action) {
	if s.asked.Load() && s.asked.CompareAndSwap(true, false) {
		s.run.end.unwatch() // a stopped ebb has not stalled
		s.run.Actuator.Aside(command.Suspend)
		s.run.end.rewatch()
	}
}
