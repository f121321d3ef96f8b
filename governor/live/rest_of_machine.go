package live

import (
	"sync/atomic"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// rest has the programs that are no tenant's count as one more tenant, with a wish of their own.
// The kernel counts how long they ran on each CPU; the rest has a thread for each CPU that ran so
// long. A nil rest does nothing.
type rest struct {
	number arbiter.Tenant
	most   units.Frequency // the highest state, which is no news to the rest
	begun  bool
	ran    []time.Duration // by CPU, up to the last tick
	readAt units.Instant   // when that was read
	quiet  time.Duration   // after so long without a tick the clock is the rest's
	wake   func()

	low   atomic.Bool  // the clock is below the highest state
	heard atomic.Int64 // the last tick in which a tenant had run
	armed atomic.Bool  // the timer runs
	timer *time.Timer
}

// quietQuanta is the time for which no tenant runs before the clock is the rest's, in quanta. A
// tenant counts for two.
const quietQuanta = 4

// Rest has programs that are no tenant's count as a tenant of this number, which is no other's.
// Call it before Start.
func (m *Several) Rest(number arbiter.Tenant, highest units.Frequency, quantum time.Duration) {
	m.rest = &rest{number: number, most: highest, quiet: quietQuanta * quantum, wake: m.Wake}
	m.rest.timer = time.AfterFunc(time.Hour, m.rest.look)
	m.rest.timer.Stop()
}

// asked takes the clock that the machine is asked for.
func (r *rest) asked(f units.Frequency) {
	if r != nil {
		r.low.Store(f < r.most)
		r.arm()
	}
}

// arm has look look once, when no tenant may have run for a while.
func (r *rest) arm() {
	if r.low.Load() && r.armed.CompareAndSwap(false, true) {
		r.timer.Reset(r.quiet)
	}
}

// look wakes the machine where no tenant has run for a while and the clock is low. Where nobody
// runs it wakes it once.
func (r *rest) look() {
	since := monotonic.Now().Sub(units.Instant(r.heard.Load()))
	if r.low.Load() && since < r.quiet {
		r.timer.Reset(r.quiet - since)
		return
	}
	r.armed.Store(false)
	if r.low.Load() {
		r.wake()
	}
}

// tick emits what the rest ran since the last tick. Tenants says whether one of them ran.
func (r *rest) tick(m *Several, at units.Instant, tenants bool) {
	if r == nil {
		return
	}
	now, err := m.tracer.Foreign()
	if err != nil {
		return // the clock stays as the tenants want it
	}
	if !r.begun {
		r.begun = true
		m.emit(governor.Event{Kind: governor.Begin, At: at, Frequency: m.base, Tenant: r.number})
		r.ran, r.readAt = now, at
	}
	quiet := !tenants && r.low.Load() && at.Sub(units.Instant(r.heard.Load())) >= r.quiet
	if tenants {
		r.heard.Store(int64(at))
		r.arm()
	}
	since := at.Sub(r.readAt)
	for cpu := range now {
		ran := min(now[cpu]-r.ran[cpu], since)
		if quiet && cpu == 0 && since > 0 { // nobody else wants a clock: it is the rest's
			ran = max(ran, 1)
		}
		if ran > 0 {
			r.emit(m, cpu, at.Add(-ran), at)
		}
	}
	r.ran, r.readAt = now, at
}

// emit emits that the rest ran on a CPU, as if in one piece.
func (r *rest) emit(m *Several, cpu int, from, to units.Instant) {
	thread := epochs.TID(cpu + 1)
	for _, ev := range []epochs.Event{
		{Kind: epochs.On, Cause: epochs.Woken, At: from, WokenAt: from},
		{Kind: epochs.Off, Cause: epochs.OtherSleep, At: to, From: from},
	} {
		ev.Thread, ev.By, ev.CPU, ev.Tenant = thread, epochs.NoThread, int16(cpu),
			uint16(r.number)
		m.emit(governor.Event{Kind: governor.Sched, Sched: ev})
	}
}

// end ends the rest's time.
func (r *rest) end(m *Several) {
	if r == nil {
		return
	}
	r.timer.Stop()
	if r.begun {
		m.emit(governor.Event{Kind: governor.End, At: m.ticked, Tenant: r.number})
	}
}
