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

// bystanders makes the programs that are no tenant's count as one more tenant, with a wish of its
// own. The kernel counts how long they ran on each CPU, and that tenant has one thread for each
// CPU, which ran so long. A nil one does nothing.
type bystanders struct {
	number arbiter.Tenant
	most   units.Frequency // highest state; at that clock they need no higher one
	begun  bool
	ran    []time.Duration // time that they ran by CPU, up to readAt
	readAt units.Instant   // time of the last tick
	quiet  time.Duration   // time without a tenant's run after which the clock is theirs
	wake   func()

	low   atomic.Bool  // the clock is below the highest state
	heard atomic.Int64 // time of the last tick with a tenant's run, ns
	armed atomic.Bool  // timer is running
	timer *time.Timer
}

// quietQuanta is the time without a tenant's run, in quanta, after which the clock is theirs.
// Arbiters drop a tenant after two.
const quietQuanta = 4

// Bystanders makes programs that are no tenant's count as a tenant of this number, which no other
// has. Call it before Start.
func (s *Several) Bystanders(
	number arbiter.Tenant, highest units.Frequency, quantum time.Duration,
) {
	s.bystanders = &bystanders{number: number, most: highest, quiet: quietQuanta * quantum,
		wake: s.Wake}
	s.bystanders.timer = time.AfterFunc(time.Hour, s.bystanders.look)
	s.bystanders.timer.Stop()
}

// asked notes the clock that is requested of the machine.
func (b *bystanders) asked(f units.Frequency) {
	if b != nil {
		b.low.Store(f < b.most)
		b.arm()
	}
}

// arm starts the timer of look while the clock is low, unless it runs.
func (b *bystanders) arm() {
	if b.low.Load() && b.armed.CompareAndSwap(false, true) {
		b.timer.Reset(b.quiet)
	}
}

// look wakes the machine where no tenant has run for a while and the clock is low. Where no program
// runs at all it does so once.
func (b *bystanders) look() {
	since := monotonic.Now().Sub(units.Instant(b.heard.Load()))
	if b.low.Load() && since < b.quiet {
		b.timer.Reset(b.quiet - since)
		return
	}
	b.armed.Store(false)
	if b.low.Load() {
		b.wake()
	}
}

// tick emits how long they ran since the last tick. Tenants says whether a tenant ran meanwhile.
func (b *bystanders) tick(m *Several, at units.Instant, tenants bool) {
	if b == nil {
		return
	}
	if now, err := m.tracer.Foreign(); err == nil { // else the clock stays as the tenants want it
		b.count(m, now, at, tenants)
	}
}

// count emits how long they ran since the last tick, now being their times by CPU.
func (b *bystanders) count(m *Several, now []time.Duration, at units.Instant, tenants bool) {
	if !b.begun {
		b.begun = true
		m.emit(governor.Event{Kind: governor.Begin, At: at, Frequency: m.base, Tenant: b.number})
		b.ran, b.readAt = now, at
	}
	quiet := !tenants && b.low.Load() && at.Sub(units.Instant(b.heard.Load())) >= b.quiet
	if tenants {
		b.heard.Store(int64(at))
		b.arm()
	}
	since := at.Sub(b.readAt)
	for cpu := range now {
		ran := now[cpu] - b.ran[cpu]
		if quiet && cpu == 0 { // no tenant wants a clock, so it is theirs
			ran = max(ran, 1)
		}
		// All records up to the last tick are confirmed, so one at its time would come too late.
		if ran = min(ran, since-1); ran > 0 {
			b.emit(m, cpu, at.Add(-ran), at)
		}
	}
	b.ran, b.readAt = now, at
}

// emit emits that they ran on a CPU, as one piece of time.
func (b *bystanders) emit(m *Several, cpu int, from, to units.Instant) {
	thread := epochs.TID(cpu + 1)
	for _, ev := range []epochs.Event{
		{Kind: epochs.On, Cause: epochs.Woken, At: from, WokenAt: from},
		{Kind: epochs.Off, Cause: epochs.OtherSleep, At: to, From: from},
	} {
		ev.Thread, ev.By, ev.CPU, ev.Tenant = thread, epochs.NoThread, int16(cpu),
			uint16(b.number)
		m.emit(governor.Event{Kind: governor.Sched, Sched: ev})
	}
}

// end stops the timer and emits their End.
func (b *bystanders) end(m *Several) {
	if b == nil {
		return
	}
	b.timer.Stop()
	if b.begun {
		m.emit(governor.Event{Kind: governor.End, At: m.ticked, Tenant: b.number})
	}
}
