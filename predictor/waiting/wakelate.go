package waiting

import (
	"math"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
)

// A thread that is woken does not run at once: it has a way to a CPU, which takes as long at any
// frequency, or waits for one. Its waker runs on meanwhile. So the woken thread waited for the
// waker's clock at the time of the wake, which lies within a line of the waker's.

// lineStart is a line's place in the measured time.
type lineStart struct {
	from   int64
	before int32 // index of the thread's line before, or -1
}

// point is a point of a thread's time, within a line.
type point struct {
	line    int32
	in, dur float64 // measured time since the line's beginning, and the whole line's
}

// passed is the clock before and after a line, in the prediction that is being made.
type passed struct{ from, to float64 }

// at returns the clock at a point.
func (m *Wake) at(i int32) float64 {
	p := &m.points[i]
	x := &m.passed[p.line]
	if p.dur == 0 {
		return x.to
	}
	// so written, it is exact at the base
	return x.from + p.in + float64((x.to-x.from-p.dur)*(p.in/p.dur))
}

// maxLinesBack bounds the number of a waker's lines that are searched for a wake. An earlier event
// is taken to lie at the beginning of the last of these.
const maxLinesBack = 64

// back finds the point at which by was at the measured time at, or the first known one after it. ok
// is false if nothing is known of by.
func (m *Wake) back(by int32, at int64) (p int32, found int64, ok bool) {
	m.flush(by)
	l := m.threads[by].line
	if l < 0 {
		return 0, 0, false
	}
	for range maxLinesBack {
		b := m.places[l].before
		if b < 0 || m.places[b].from+int64(m.lines[b].Measured()) < at {
			break
		}
		l = b
	}
	from, dur := m.places[l].from, m.lines[l].Measured()
	in := min(max(float64(at-from), 0), dur)
	m.points = append(m.points, point{l, in, dur})
	return int32(len(m.points) - 1), from + int64(in), true
}

// lockWait is the longest wait that is taken for a wait for a lock. Locks are held for
// microseconds; a thread that waits longer waits for work that another has to do first.
const lockWait = 50 * time.Microsecond

// lockWaitGrowth is the factor by which a wait for a lock may grow. The mean wait for a held lock
// is half of the holding time, and the longest wait is the whole holding time. If another clock
// made a thread come so early that it would wait longer, it comes before the holder.
const lockWaitGrowth = 2

// wokenAt makes a thread's clock at least that of by when it woke the thread, delay ago, and adds
// the time since then. A thread that took over the CPU of from had waited for that instead. A wait
// for a lock becomes at most lockWaitGrowth times as long.
func (m *Wake) wokenAt(t, by, from int32, delay int64) {
	m.flush(t)
	most := m.longest(t)
	p, at, ok := m.back(by, m.now-delay)
	switch {
	case !ok && from >= 0:
		m.take(t, by, from)
	case !ok:
		m.join(stepJoin, t, by)
	case from >= 0:
		m.steps = append(m.steps, step{kind: stepWoken, thread: t, arg: p})
		m.join(stepJoin, t, from)
	default:
		m.steps = append(m.steps, step{kind: stepWoken, thread: t, arg: p,
			n: int32(len(m.bases) - 1), delay: float64(m.now - at), most: most})
		m.threads[t].at, m.threads[t].seen = m.now, true
	}
}

// longest returns the longest time that the wait that now ends may become, 0 if it is no wait for a
// lock. The thread has begun to wait since the first epoch.
func (m *Wake) longest(t int32) float64 {
	th := &m.threads[t]
	if th.other || th.at == 0 || m.now-th.at > m.lockWait {
		return 0
	}
	return float64(lockWaitGrowth * (m.now - th.at))
}

// follow makes a thread's clock at least that of by, which has just woken it from a wait for a
// lock. At a lower clock the wait becomes at most lockWaitGrowth times as long. At a higher one
// threads meet at locks that they found free at the base, and these waits are in nobody's clock:
// there the known ones are left as they are.
func (m *Wake) follow(t, by int32) {
	most, base := m.longest(t), int32(len(m.bases)-1)
	m.flush(t)
	m.flush(by)
	m.steps = append(m.steps, step{kind: stepShort, thread: t, arg: by, n: base,
		delay: float64(m.now - m.threads[by].at), most: most})
	m.threads[t].at, m.threads[t].seen = m.now, true
}

// meeting has the group of by meet. The members that the ends name are woken only now. They leave
// later by the time of their way to a CPU, for which the newest one's is taken. The others were
// woken before and have left, and by runs on.
func (m *Wake) meeting(ends []End, by int32) {
	m.scratch = append(m.scratch[:0], by)
	delay := int64(math.MaxInt64)
	for _, y := range ends {
		if y.Kind == epochs.EndWake && y.By == by && y.Thread != by {
			// no thread is woken before it sleeps
			delay = min(delay, y.Delay, m.now-m.threads[y.Thread].at)
			if !slices.Contains(m.scratch, y.Thread) {
				m.scratch = append(m.scratch, y.Thread)
			}
		}
	}
	now := len(m.scratch)
	for _, t := range m.group.members {
		if !slices.Contains(m.scratch, t) {
			m.scratch = append(m.scratch, t)
		}
	}
	if delay == 0 {
		m.meet(m.scratch)
		return
	}
	m.late(m.scratch, now, delay)
}

// late has threads meet. The first wakes them. Those before index now have been woken delay ago and
// run only now; the others ran before.
func (m *Wake) late(ts []int32, now int, delay int64) {
	p, at, ok := m.back(ts[0], m.now-delay)
	if !ok {
		m.meet(ts)
		return
	}
	first := int32(len(m.members))
	m.members = append(m.members, p)
	for _, t := range ts {
		m.flush(t)
		m.members = append(m.members, t)
		m.threads[t].at = m.now
	}
	m.steps = append(m.steps, step{kind: stepLate, thread: int32(now + 1), arg: first,
		n: int32(len(ts) + 1), delay: float64(m.now - at)})
}

// meetLate has threads meet at the latest of the clocks that they had when the newest was woken.
func (m *Wake) meetLate(clock []float64, p int32, woken, left []int32, delay float64) {
	latest := m.at(p)
	by, woken := woken[0], woken[1:]
	for _, t := range woken {
		latest = max(latest, clock[t])
	}
	for _, t := range left {
		latest = max(latest, clock[t]-delay)
	}
	clock[by] = max(clock[by], latest)
	for _, t := range woken {
		clock[t] = latest + delay
	}
	for _, t := range left {
		clock[t] = max(clock[t], latest)
	}
}
