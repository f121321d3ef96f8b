package waiting

import (
	"math"

	"github.com/ebb-energy/ebb/epochs"
)

// lead is the time by which a thread's clock is ahead of the program's, in ns. It is negative for a
// thread that the program does not wait for yet. Stopped is the measured time since the thread
// stopped. The clock does not include that time yet: the event that ends the wait decides how much
// of it counts.
type lead struct {
	thread         epochs.TID
	ahead, stopped float64
	apart          bool // the thread runs apart from the others; see thread
}

// maxLeads bounds the number of threads with a lead, because the record of a thread's end may be
// lost. Beyond it, the threads that have done nothing for longest are forgotten.
const maxLeads = 1024

// Advance continues the program from where the work before left it. Duration takes work by itself:
// all threads begin together, and it ends with the latest. Summed over quanta, durations are too
// long at any frequency but the one they ran at: a thread that falls behind in one quantum may
// catch up in the next. Here threads begin with their lead. Where they meet, what they have come to
// is the duration of the whole. Advance serves one frequency and is called once before each Reset;
// its parts may be uneven, and below zero. A ns that a thread waits for memory takes longer by
// queued.
//
// A lead lasts until threads meet, however long they run apart, and also while they sleep. The
// program's own lead over a thread that runs has a bound. Nobody knows whether that one will wait
// for the latest or the latest for it, or whether the two ever meet. If it waits, it would have
// gained nothing by coming earlier; if not, it would have come that much earlier to its end, and
// maybe the program too. So the program is at most one quantum ahead of that thread. When they
// meet, it moves on by the time held back.
func (m *Wake) Advance(w *Work, f, a, queued float64) float64 {
	clock, least := m.clocks(), 0.0
	for _, l := range m.leads {
		least = min(least, l.ahead)
	}
	for t := range clock { // a thread without a lead comes later than its waker
		clock[t] = least
		if m.threads[t].level {
			clock[t] = 0
		}
	}
	for _, l := range m.leads {
		t := w.Threads.First(l.thread)
		if t < 0 || int(t) >= len(clock) {
			continue
		}
		th := &m.threads[t]
		clock[t], th.apart = l.ahead, th.apart || l.apart && !th.woken
		// The reason of its wait is unknown. It may have been ready all the time, with another
		// thread on its CPU.
		if th.level && l.stopped > 0 {
			clock[t] = max(l.ahead, min(l.ahead+l.stopped, 0))
		}
	}
	m.queued = queued
	end := m.walk(f, a)
	m.queued = 0
	end = min(end, m.earliest(clock)+float64(m.now))
	m.leave(w, clock, end)
	return end
}

// earliest returns the earliest clock of the threads that could run when the work ends; infinite if
// none could. A thread that a timer woke says nothing of the others, and one that waits for
// another's turn comes after that.
func (m *Wake) earliest(clock []float64) float64 {
	earliest := math.Inf(1)
	for _, t := range m.last {
		th := &m.threads[t]
		if !th.apart && th.waits == forNothing && th.at == m.now {
			earliest = min(earliest, clock[t])
		}
	}
	for t := 0; m.waits.n > 0 && t < len(clock); t++ {
		if th := &m.threads[t]; !th.apart && th.waits.outside() {
			earliest = min(earliest, clock[t])
		}
	}
	return earliest
}

// leave notes the leads with which threads leave the work. At its end the program's clock is end.
func (m *Wake) leave(w *Work, clock []float64, end float64) {
	now := m.spare[:0]
	for t := range clock {
		th := &m.threads[t]
		if !th.seen || th.gone {
			continue
		}
		l := lead{th.tid, clock[t] - end, float64(m.now - th.at), th.apart}
		if th.waits.outside() { // the thread's clock includes the wait so far
			l.stopped = 0
		}
		if th.apart { // such a thread keeps up with the time at every frequency
			l.ahead = min(l.ahead, 0)
		}
		now = append(now, l)
	}
	for _, l := range m.leads { // leads of threads that slept all the time
		t := w.Threads.First(l.thread)
		if t >= 0 && int(t) < len(clock) && (m.threads[t].seen || m.threads[t].gone) {
			continue
		}
		l.ahead, l.stopped = l.ahead-end, l.stopped+float64(m.now)
		now = append(now, l)
	}
	m.leads, m.spare = now[:min(len(now), maxLeads)], m.leads
}

// RunTime implements Model.
func (m *Wake) RunTime(_ *Work, f, a float64) float64 {
	var sum float64
	for i := range m.steps {
		if s := &m.steps[i]; s.kind == stepRun {
			sum += m.lines[s.arg].At(m.bases[s.n]/f, a)
		}
	}
	for i := range m.threads {
		if t := &m.threads[i]; t.any {
			l := t.open.Line(&m.latencies)
			sum += l.At(m.bases[t.base]/f, a)
		}
	}
	return sum
}
