package rapl

import (
	"sync"
	"time"
)

// keeper calls for a reading when one is due.
type keeper struct {
	timer  *time.Timer
	period time.Duration
	mu     sync.Mutex // held while a reminder goes on
	over   bool
}

// KeepUp calls due whenever the meters have not been read for their Period, so that no counter
// wraps unseen while nobody asks for a reading. Due reads them itself, or makes their reader do so
// soon. Stop ends this and waits for a call under way.
func (m *Meters) KeepUp(due func()) (stop func()) {
	k := &keeper{period: m.Period()}
	if k.period == 0 {
		return func() {}
	}
	k.mu.Lock() // held until the timer is set
	k.timer = time.AfterFunc(k.period, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if !k.over {
			due()
		}
	})
	m.keeper.Store(k)
	k.mu.Unlock()
	return func() {
		m.keeper.Store(nil)
		k.timer.Stop()
		k.mu.Lock()
		defer k.mu.Unlock()
		k.over = true
	}
}

// read notes a reading: the next one is due a period later.
func (k *keeper) read() {
	if k != nil {
		k.timer.Reset(k.period)
	}
}
