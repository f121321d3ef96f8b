package bpf

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
)

// TestConcurrentWakesAreNotLost: of wakes from several goroutines while Next returns from others,
// none is lost: after each, a Next returns a Tick that is not older.
func TestConcurrentWakesAreNotLost(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	var ticked atomic.Int64
	stop := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		buf := make([]epochs.Event, 8)
		for {
			n, err := tr.Next(buf)
			if err != nil {
				done <- err
				return
			}
			ticked.Store(int64(buf[n-1].At))
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
		}
	}()
	const wakers, wakes = 3, 500
	served := make(chan bool, wakers)
	for range wakers {
		go func() {
			all := true
			for range wakes {
				at := monotonic.Now()
				tr.Wake()
				end := time.Now().Add(devtest.Hung)
				for ; ticked.Load() < int64(at); time.Sleep(10 * time.Microsecond) {
					if time.Now().After(end) {
						all = false
						break
					}
				}
			}
			served <- all
		}()
	}
	for range wakers {
		if !<-served {
			t.Error("a wake was not answered")
		}
	}
	close(stop)
	tr.Wake()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
