package sensitivity

import (
	"math"
	"time"
)

const (
	// leastPairs is the number of pairs of intervals at one clock that show how much a register's
	// advance scatters.
	leastPairs = 8
	// mostScatter is the standard deviation, ln, of the difference between two intervals at one
	// clock, up to which a register counts work.
	mostScatter = 0.15
	// farOff is a difference, ln, that no clock causes: the register was set anew. A register
	// counts if fewer than one in oddPart of its intervals have such a difference, another sign, or
	// no advance. A register that counts in one part of a function says nothing of the other parts.
	farOff, oddPart = 1.5, 4
	// stillClock is the change of the clock, ln, up to which it counts as unchanged; from
	// leastMoved on it counts as changed.
	stillClock = 0.01
	// sharedIntervals is the factor by which the variance of a slope is larger than that of
	// independent pairs, at most: two pairs in a row share an interval, and their changes of the
	// clock have opposite signs.
	sharedIntervals = 2
)

// interval is a thread's running time between two samples.
type interval struct {
	fn                FunctionNumber
	time, work, clock float64 // sums over the interval; see visit
	unknown           bool    // the thread may have been elsewhere
}

// spend adds running time, as to a visit.
func (i *interval) spend(fn FunctionNumber, d time.Duration, share, clock float64) {
	dur := float64(d)
	i.unknown = i.unknown || fn != i.fn
	i.time += dur
	i.work += float64(dur * (share + float64((1-share)*clock)))
	i.clock -= float64(dur * math.Log(clock))
}

// progress compares a function's work in intervals by the registers: if the table is right, an
// interval has as much work for each unit of a register's advance at any clock. Only intervals that
// follow each other are compared, so that a program's slow drift says nothing.
type progress [Registers]counting

// counting is a register that may count work.
type counting struct {
	y, z        float64 // newest interval: ln of work per unit, and ln(highest / clock)
	rose, known bool

	still, odd int     // pairs at one clock, and pairs that no count explains
	scatter    float64 // sum of squares of the changes of y at one clock
	zy, zz     float64 // sums over the pairs at two clocks
	moved      int
}

// add takes an interval of the function.
func (p *progress) add(v *interval, a *Advance) {
	work, z := math.Log(v.work), v.clock/v.time
	for i := range p {
		ln, rose, ok := a.ln(i)
		c := &p[i]
		if !ok {
			c.odd++
			continue
		}
		y := work - ln
		dy, dz := y-c.y, z-c.z
		switch {
		case !c.known:
		case rose != c.rose || math.Abs(dy) > farOff:
			c.odd++
		case math.Abs(dz) < stillClock:
			c.still++
			c.scatter += float64(dy * dy)
		case math.Abs(dz) >= leastMoved:
			c.moved++
			c.zy += float64(dz * dy)
			c.zz += float64(dz * dz)
		}
		c.y, c.z, c.rose, c.known = y, z, rose, true
	}
}

// slope returns the excess of predicted work, ln for each ln of frequency, and its standard
// deviation.
func (c *counting) slope() (slope, deviation float64, ok bool) {
	n := float64(c.still)
	if c.still < leastPairs || c.moved == 0 || c.odd*oddPart > c.still+c.moved ||
		c.scatter > mostScatter*mostScatter*n {
		return 0, 0, false
	}
	few := 1 + fewVisits/n
	variance := (firstSpread*firstSpread + c.scatter) / (1 + n)
	return c.zy / c.zz, few * math.Sqrt(sharedIntervals*variance/c.zz), true
}

// judge returns whether the registers show that the table is wrong, or that the function's share
// holds. One register that contradicts outweighs all that agree.
func (p *progress) judge() (isWrong, proven bool) {
	doubt := false
	for i := range p {
		slope, deviation, ok := p[i].slope()
		if !ok || slope > worstSlope+right*deviation {
			continue
		}
		isWrong = isWrong || slope > leastSlope && slope > wrong*deviation
		doubt = doubt || slope > leastSlope && slope > right*deviation
		proven = proven || slope+right*deviation < mostSlope
	}
	return isWrong, proven && !doubt
}

// counted ends the interval before a sample, and begins the next.
func (t *trust) counted(v *interval, next *Sample) {
	if !v.unknown && v.fn == next.Function && v.fn != UnknownFunction && v.time > 0 &&
		t.state != Wrong {
		if s := t.functions[v.fn]; s != nil && s.claims {
			if next.Advance != (Advance{}) {
				t.intervals++
			}
			s.progress.add(v, &next.Advance)
			var isWrong bool
			if isWrong, s.byRegisters = s.progress.judge(); isWrong {
				t.state = Wrong
			} else {
				t.prove(s)
			}
		}
	}
	*v = interval{fn: next.Function}
}

// prove settles whether the table is right, after the evidence for a function has changed.
func (t *trust) prove(s *lengths) {
	if proven := s.byVisits || s.byRegisters; proven != s.proven {
		if s.proven = proven; proven {
			t.proven++
		} else {
			t.proven--
		}
	}
	t.state = Unproven
	if t.proven > 0 && t.proven >= t.claims {
		t.state = Right
	}
}
