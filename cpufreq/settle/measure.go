package settle

import (
	"fmt"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/units"
)

// Measure finds the settle time by requests within budget, or by twice patient more where the clock
// does not follow, and leaves the machine at its highest
// state. It fails with ErrUnobserved when the speed does not follow the requests, and the Result
// then says what the speed did.
func Measure(a Actuator, g gauge, now clock) (Result, error) {
	return measure(a, g, now, now()+budget)
}

func measure(a Actuator, g gauge, now clock, end time.Duration) (Result, error) {
	states := a.States()
	lo, hi := states[0], states[len(states)-1]
	m := measurement{a: a, g: g, now: now, end: end,
		r: Result{Source: g.Source(), Asked: float64(hi) / float64(lo)}}
	defer a.Set(hi)
	if lo == hi {
		return m.r, fmt.Errorf("%w: there is one state only", ErrUnobserved)
	}
	high, err := m.learn(hi)
	if err != nil {
		return m.r, err
	}
	low, err := m.learn(lo)
	if err != nil {
		return m.r, err
	}
	m.r.Ratio, m.r.Highest = high/low, clockOf(m.r.Source, high)
	switch step, asked := m.r.Ratio-1, m.r.Asked-1; {
	case step > min(asked/2, visible):
	case step < asked/10 && (m.r.Source == Cycles || m.r.Source == APERF):
		return m.r, m.waitsFor(lo, hi)
	default: // the ratio may be no number
		return m.r, fmt.Errorf(
			"%w: %v and %v were asked for, and by %s the speeds are as %.2f to 1",
			ErrUnobserved, hi, lo, m.r.Source, m.r.Ratio,
		)
	}
	for k := range most {
		from, to, f := low, high, hi
		if k%2 == 1 {
			from, to, f = high, low, lo
		}
		if done, err := m.request(k, f, from, to); err != nil || done {
			if err != nil {
				return m.r, err
			}
			break
		}
	}
	return m.finish()
}

// clockOf returns the clock that a speed stands for; 0 when the source has no unit.
func clockOf(source string, speed float64) units.Frequency {
	switch source {
	case Cycles, APERF: // cycles per ns
		return units.Frequency(speed * 1e9)
	case Hardware, Kernel: // Hz
		return units.Frequency(speed)
	}
	return 0
}

type measurement struct {
	a     Actuator
	g     gauge
	now   clock
	end   time.Duration
	r     Result
	times []time.Duration
	vague []time.Duration // times of requests that settled unobserved
	// asked counts the requests, settled those that settled, instant those that settled in the
	// first window, and astray those before which the speed had not stayed.
	asked, settled, instant, astray int
	took                            time.Duration // time of the last request that settled
}

// waitsFor has each state asked for long before it looks again, and returns ErrNoEffect where the
// clock is the same for both; otherwise the clock follows too late to be timed.
func (m *measurement) waitsFor(lo, hi units.Frequency) error {
	var speeds [2]float64
	for i, f := range []units.Frequency{lo, hi} {
		if err := m.set(f); err != nil {
			return err
		}
		m.g.Idle(patient)
		m.end = m.now() + 2*learning
		speed, err := m.learn(f)
		if err != nil {
			return err
		}
		speeds[i] = speed
	}
	m.r.Ratio, m.r.Highest = speeds[1]/speeds[0], clockOf(m.r.Source, speeds[1])
	if m.r.Ratio-1 < (m.r.Asked-1)/10 {
		return fmt.Errorf("%w: %v and %v were asked for, and by %s the speeds are as %.2f to 1",
			ErrNoEffect, hi, lo, m.r.Source, m.r.Ratio)
	}
	return fmt.Errorf("%w in time: it follows more than %v late", ErrUnobserved, learning)
}

// learn asks for f and returns the resulting speed.
func (m *measurement) learn(f units.Frequency) (float64, error) {
	if err := m.set(f); err != nil {
		return 0, err
	}
	begin := m.now()
	var speeds []float64
	for {
		at := m.now() - begin
		if at >= learning && len(speeds) >= enough || begin+at >= m.end {
			break
		}
		s, err := m.g.Window(window)
		if err != nil {
			return 0, fmt.Errorf("%w: %w", ErrUnobserved, err)
		}
		if at >= learning-steady {
			speeds = append(speeds, s)
		}
	}
	if len(speeds) < enough {
		return 0, fmt.Errorf("%w: the CPU was not to be had", ErrUnobserved)
	}
	slices.Sort(speeds)
	return speeds[len(speeds)/2], nil
}

// request makes the k-th request and watches it settle. Done means that there is no time for
// another.
func (m *measurement) request(k int, f units.Frequency, from, to float64) (done bool, err error) {
	part := golden * float64(k)
	if err := m.stays(min(m.took, hold)+pause+
		time.Duration(float64(stride)*(part-float64(int(part)))), from, to); err != nil {
		return true, err
	}
	begin := m.now()
	until := min(begin+longest, m.end)
	if begin >= until {
		return true, nil
	}
	m.asked++
	if err := m.set(f); err != nil {
		return true, err
	}
	// since is the first time at which the speed was there, gap the length of that window or of the
	// one before it.
	var since, gap, before time.Duration
	run, windows := 0, 0
	for last := m.now(); ; {
		s, err := m.g.Window(window)
		if err != nil {
			return true, fmt.Errorf("%w: %w", ErrUnobserved, err)
		}
		at := m.now()
		windows++
		if (s-from)/(to-from) < nearly {
			run = 0
		} else if run++; run == 1 {
			// In a long window the change may lie within the mean or after it.
			since, gap = at, max(at-last, before)
		}
		before, last = at-last, at
		if run == there {
			m.settled++
			m.took = since - begin
			if windows == there {
				m.instant++
			}
			if gap > blind {
				m.vague = append(m.vague, since-begin)
			} else {
				m.times = append(m.times, since-begin)
			}
			return false, nil
		}
		if at >= until {
			if until < m.end { // the request had the longest time that one may have
				m.r.Missed++
			}
			return until == m.end, nil
		}
	}
}

// stays checks for d whether a settled speed stays: one that changes by itself would not.
func (m *measurement) stays(d time.Duration, from, to float64) error {
	held, lost := 0, 0
	for until := m.now() + d; held == 0 || m.now() < until; {
		s, err := m.g.Window(window)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnobserved, err)
		}
		held++
		if (s-from)/(to-from) > 0.5 {
			lost++
		}
	}
	if lost > held/4 {
		m.astray++
	}
	return nil
}

// set asks for f. It fails when no domain takes it. Whether a control that shows something else yet
// is late or capped, the speed decides.
func (m *measurement) set(f units.Frequency) error {
	outcomes := m.a.Set(f)
	for i := range outcomes {
		if outcomes[i].Effective() || outcomes[i].Kind == cpufreq.Capped {
			return nil
		}
	}
	_, trouble := cpufreq.Summary(outcomes)
	return fmt.Errorf("%w: no request is taken: %s", ErrNoEffect, trouble)
}

func (m *measurement) finish() (Result, error) {
	r := &m.r
	if len(m.times) < few {
		m.times = append(m.times, m.vague...)
	}
	r.Requests = len(m.times)
	switch {
	case r.Requests == 0 || r.Missed > r.Requests/4:
		return *r, fmt.Errorf("%w: %d of %d requests had not settled after %v, by %s",
			ErrUnobserved, r.Missed, r.Missed+r.Requests, longest, r.Source)
	case m.astray > m.asked/8:
		return *r, fmt.Errorf(
			"%w: the speed changes by itself, by %s: %d of %d times it did not stay",
			ErrUnobserved, r.Source, m.astray, m.asked,
		)
	case r.Source == Kernel && m.instant == m.settled:
		return *r, fmt.Errorf("%w: %s repeats each request at once, and there is no counter",
			ErrUnobserved, Kernel)
	}
	slices.Sort(m.times)
	r.P50 = m.times[(r.Requests-1)/2]
	r.P99 = m.times[min((r.Requests*99+99)/100, r.Requests)-1]
	if r.Missed > 0 {
		r.P99 = longest // at least
	}
	return *r, nil
}
