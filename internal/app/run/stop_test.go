package run

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
)

// slowActuator takes its time to put clocks back.
type slowActuator struct {
	cpufreq.Actuator
	takes time.Duration
	back  bool // all clocks are back
	fails bool
}

func (a *slowActuator) Withdraw(error) bool {
	time.Sleep(a.takes)
	a.back = true
	return !a.fails
}

// TestStopsOnceAndBehindTheClocks: the terminal's stop waits for the clocks, however long they
// take, and is one stop however often the key was pressed meanwhile. The guardian looks on where
// clocks are not back. A loop that hangs, or that is over, delays no stop.
func TestStopsOnceAndBehindTheClocks(t *testing.T) {
	const patience = 2 * time.Second
	for name, c := range map[string]struct {
		takes                time.Duration
		fails, hangs, isOver bool
		guarded              bool // while ebb is stopped
	}{
		"at once": {}, "slow": {takes: 3 * patience}, "not all back": {fails: true, guarded: true},
		"hangs": {hangs: true, guarded: true}, "over": {isOver: true, guarded: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &slowActuator{takes: c.takes, fails: c.fails}
				stops, guarded, woken := 0, true, 0
				r := newRun(&Settings{})
				r.Actuator = a
				r.end.unwatch, r.end.rewatch = func() { guarded = false }, func() { guarded = true }
				s := &stop{run: r, wake: func() { woken++ }, patience: patience}
				s.suspend = func() {
					if stops++; guarded != c.guarded || !a.back && !c.hangs && !c.isOver {
						t.Errorf("stopped: guarded %v, clocks back %v", guarded, a.back)
					}
					if s.asked.Load() == answering {
						s.ask() // the key, once more, before ebb is stopped
					}
				}
				s.Observe(nil, nil) // nobody has asked
				s.ask()
				s.ask()
				for range 2 {
					switch {
					case c.isOver:
						s.over()
					case !c.hangs:
						s.Observe(nil, nil)
					}
				}
				time.Sleep(2 * patience)
				synctest.Wait()
				if stops != 1 || !guarded || woken != 1 {
					t.Errorf("%d stops, woken %d times, guarded %v", stops, woken, guarded)
				}
			})
		})
	}
}
