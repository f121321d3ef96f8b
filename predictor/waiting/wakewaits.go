package waiting

import (
	"time"

	"github.com/ebb-energy/ebb/epochs"
)

// A thread that could run and does not, because others have the CPU or a quota withholds it, is not
// idle: the wait belongs to its running time, and grows with that.
//
//   - Beside others the scheduler divides the CPU. A thread that runs for longer uses up more time
//     slices, and waits for its turn that much more often. The others' demand is taken to be as
//     measured. So with rho the thread's predicted time over its measured time when it ran
//     last, a wait w becomes rho w.
//   - A quota allows Q of running time in each period P of wall time. A program that uses it up
//     takes P/Q times its running time, whether it sleeps in between or not. Between one refill and
//     the next, with running time u, sleep s and the throttled time w, that is rho (u + s + w), of
//     which rho u + s passes before it is throttled. The rest is rho w + (rho - 1) s, or nothing
//     where the quota then suffices.
//
// A wait that began in one quantum and lasts through others follows the pace of the last that the
// thread ran in.

// waitFor is the reason for which a thread waits that could run and does not.
type waitFor uint8

const (
	forNothing waitFor = iota
	// forTurn: a thread of the program took over the CPU. If one gives it back, the wait is as
	// long as its time there; if one outside the program does, the wait is one for others.
	forTurn
	forOthers // threads outside the program have the CPU
	forQuota
)

// outside reports whether the wait is for something other than the program's own threads.
func (f waitFor) outside() bool { return f > forTurn }

// held is a wait for a CPU. Without a pace it does not scale.
type held struct {
	dur   float64
	slept float64 // time that the program slept since the last refill, for a throttled thread
	pace  int32   // index in waits.paces, -1 for none
}

// waits is a Wake's state of threads that wait for others or for their quota.
type waits struct {
	n      int // number of threads that wait, but for those that wait for their turn
	turns  int // threads that wait for their turn
	held   int // number of throttled threads among n
	paces  []pace
	done   []held
	slept  int64 // time without a thread that could run, since threads were throttled last
	before int64 // value of slept when the present threads were throttled
	kept   []kept
	until  int64   // end of the newest epoch, as that has it
	usual  pace    // a recent pace of any thread, from a long enough stretch
	period float64 // quotaPeriod in time units
	least  float64 // leastPace in time units
}

// quotaPeriod bounds the sleep that a quota makes good: what it allows expires with the period.
// Linux's default is 100 ms, and container runtimes keep to it.
const quotaPeriod = 100 * time.Millisecond

// stopped notes the threads that stop though they could run, after handOver. If a thread of the
// program takes over the CPU, a preempted one waits for that thread.
func (m *Wake) stopped(ends []End) {
	came := 0
	for _, x := range ends {
		switch x.Kind {
		case epochs.EndWake, epochs.EndStart:
			m.waits.over(&m.threads[x.Thread]) // the record of its return was lost
			fallthrough
		case epochs.EndResume:
			m.comes(x.Thread, x.Kind)
			came++
		}
	}
	m.passTurns(ends)
	left := 0
	for _, x := range ends {
		if !leaves(x.Kind) || x.Thread < 0 || m.threads[x.Thread].at != m.now {
			continue
		}
		switch left++; {
		case x.Kind == epochs.EndPreempt && left <= came:
			m.hold(x.Thread, forTurn)
			m.lineUp(x.Thread, ends)
		case x.Kind == epochs.EndPreempt:
			m.hold(x.Thread, forOthers)
		case x.Kind == epochs.EndThrottle:
			if m.waits.held == 0 {
				m.waits.before, m.waits.slept = m.waits.slept, 0
			}
			m.hold(x.Thread, forQuota)
		}
	}
}

// leaves reports whether a thread leaves its CPU at an end of this kind.
func leaves(k epochs.EndKind) bool {
	switch k {
	case epochs.EndSleep, epochs.EndOtherSleep, epochs.EndPreempt, epochs.EndThrottle,
		epochs.EndExit:
		return true
	}
	return false
}

// hold begins a wait now, unless the thread runs on.
func (m *Wake) hold(t int32, why waitFor) {
	th := &m.threads[t]
	m.waits.over(th)
	if !th.seen {
		return
	}
	m.flush(t)
	th.pace = m.paceOf(th)
	m.waits.begin(th, why)
}

func (w *waits) begin(th *thread, why waitFor) {
	th.waits = why
	if why.outside() {
		w.n++
	} else {
		w.turns++
	}
	if why == forQuota {
		w.held++
	}
}

// over ends a wait, if there is one.
func (w *waits) over(th *thread) {
	switch th.waits {
	case forTurn:
		w.turns--
	case forOthers:
		w.n--
	case forQuota:
		w.n--
		w.held--
	}
	th.waits = forNothing
}

// wait moves a thread's clock on by the wait that ends now.
func (m *Wake) wait(t int32) {
	th := &m.threads[t]
	if th.waits == forNothing || th.pace < 0 {
		m.pass(t)
		return
	}
	m.steps = append(m.steps, step{kind: stepWait, thread: t, arg: int32(len(m.waits.done))})
	m.waits.done = append(m.waits.done, m.waitOf(th))
	th.level = th.level || !th.seen
	th.at, th.seen = m.now, true
}

// waitOf returns the thread's wait up to now.
func (m *Wake) waitOf(th *thread) held {
	x := held{dur: float64(m.now - th.at), pace: th.pace}
	if th.waits == forQuota {
		x.slept = min(float64(m.waits.before), max(m.waits.period-x.dur, 0))
	}
	return x
}

// waited returns the time of a wait at f. At the frequency of its pace it is the measured time,
// exactly.
func (m *Wake) waited(x *held, f, a float64) float64 {
	if x.pace < 0 {
		return x.dur
	}
	p := &m.waits.paces[x.pace]
	ran := p.line.Measured()
	if ran <= 0 {
		return x.dur
	}
	more := (p.line.At(p.base/f, a) - ran) / ran
	return max(x.dur+float64(more*(x.dur+x.slept)), 0)
}
