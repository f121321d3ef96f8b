package train

import (
	"context"
	"time"
)

// Own reports whether a program is one of ebb's own, or runs nothing.
func (p *Program) Own() bool { return p.own || len(p.Argv) == 0 }

// RunOnce runs a program without a meter, for no longer than most, and returns the CPU time of its
// processes. The settings' Events follow it; the caller calls their Begin before. Beside, if not
// nil, is called with the program's id, on a goroutine of its own; its context ends with the
// program.
func RunOnce(ctx context.Context, p *Program, s *Settings, most time.Duration,
	beside func(ctx context.Context, pid int),
) (time.Duration, error) {
	c, err := starter(p, s)(ctx)
	if err != nil {
		return 0, err
	}
	if beside != nil {
		within, cancel := context.WithCancel(ctx)
		done := make(chan bool)
		go func() {
			defer close(done)
			beside(within, c.cmd.Process.Pid)
		}()
		defer func() {
			cancel()
			<-done
		}()
	}
	over := time.After(most)
	// The kernel forgets a process that ended and that nobody waited for, so its time is read now
	// and then.
	look := time.NewTicker(lookPeriod)
	defer look.Stop()
	for {
		select {
		case <-c.ended:
			used := c.used()
			if err := failed(c.stop()); err != nil {
				s.Say("%s failed: %v", p.Name, err)
			}
			return used, nil
		case <-over:
			used := c.used()
			_ = c.stop() // its time is over
			return used, nil
		case <-ctx.Done():
			_ = c.stop()
			return 0, ctx.Err()
		case <-look.C:
			c.used()
			if s.Events != nil {
				if err := s.Events.Window(map[string]float64{}); err != nil {
					_ = c.stop()
					return 0, err
				}
			}
		}
	}
}

// lookPeriod is the time between two readings of a program's CPU time.
const lookPeriod = 100 * time.Millisecond
