package simtest

import (
	"time"

	"github.com/ebb-energy/ebb/epochs"
)

// Quota bounds the program's running time, as a control group does (Linux's cpu.max). In each
// period its threads may run for CPUs times the period in sum. After that they do not run before
// the next period.
type Quota struct {
	CPUs   float64       // 0 for no quota
	Period time.Duration // 0 for 100 ms, Linux's own
}

const defaultPeriod = 100 * time.Millisecond

// quota is the state of the program's quota.
type quota struct {
	all       ps // running time of a period; 0 without a quota
	period    ps
	left      ps
	throttled bool
	parked    []*Thread // threads that are ready, until the next period
}

func (q *quota) init(m *Computer) {
	o := m.options.Quota
	if o.CPUs <= 0 {
		return
	}
	if o.Period == 0 {
		o.Period = defaultPeriod
	}
	q.period = toPS(o.Period)
	q.all = ps(o.CPUs * float64(q.period))
	q.left = q.all
	m.timers.add(m.now+q.period, timer{kind: timerRefill})
}

// next returns the time at which the threads that run now will have used up the rest of the quota.
func (q *quota) next(m *Computer) ps {
	n := q.users(m)
	if q.all == 0 || n == 0 {
		return never
	}
	return m.now + (q.left+n-1)/n
}

// users returns the number of threads that use the quota.
func (q *quota) users(m *Computer) (n ps) {
	for _, c := range m.cores {
		if c.own() {
			n++
		}
	}
	return n
}

// use takes the running time of a stretch off.
func (q *quota) use(m *Computer, d ps) {
	if q.all > 0 {
		q.left = max(q.left-d*q.users(m), 0)
	}
}

// exhaust throttles the program if nothing is left.
func (q *quota) exhaust(m *Computer) {
	if q.all == 0 || q.left > 0 || q.throttled {
		return
	}
	q.throttled = true
	for _, c := range m.cores {
		if c.own() {
			q.parked = append(q.parked, m.leaveCore(c, epochs.Throttled))
			m.next(c)
		}
	}
}

// park keeps a ready thread off the cores while the program is throttled.
func (q *quota) park(t *Thread) bool {
	if !q.throttled || t.role == other {
		return false
	}
	q.parked = append(q.parked, t)
	return true
}

// refill begins a period.
func (q *quota) refill(m *Computer) {
	m.timers.add(m.now+q.period, timer{kind: timerRefill})
	q.left, q.throttled = q.all, false
	parked := q.parked
	q.parked = nil
	for _, t := range parked {
		m.arrive(t)
	}
}
