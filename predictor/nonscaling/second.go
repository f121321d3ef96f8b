package nonscaling

import "math"

// second finds lines from other cores' second caches. A core answers from its first cache in some
// ten cycles, from its second in twenty. At a low clock the latter takes longer than a hit in the
// shared cache, and nothing else does: if recent accesses took longer in the mean, they are a
// mixture of these two. (At a high clock it takes less, and is taken for a mixture of hits and of
// lines from first caches.) The accesses of one row are too few for a mean that is to be compared.
type second struct {
	lookup float64 // time of a lookup
	hit    float64 // time of a hit in the shared cache
	line   float64 // time of a line from a second cache; 0: too like a hit
	inCore float64 // part of line in the core's clock

	slowRows bool // the rule SlowRows is in force

	time, looks float64 // times of recent accesses, and of their lookups
}

// recentAccesses is the number of accesses over which the past is averaged. It makes the mean
// latency certain to 0.3 ns, if single ones differ by 10.
const recentAccesses = 1000

func newSecond(m *Latencies, cycleNs, perNs float64, without Rules) (s second) {
	line := m.SecondNs + m.SecondCycles*cycleNs
	if without&SecondCaches != 0 || line < m.SharedNs*1.1 {
		return s
	}
	return second{lookup: m.LookupCycles * cycleNs * perNs, hit: m.SharedNs * perNs,
		line: line * perNs, inCore: m.SecondCycles * cycleNs * perNs,
		slowRows: without&SlowRows == 0}
}

// slowRow is a factor: a row whose accesses take that many times as long as hits has no lines from
// second caches. Hits wait for each other at the shared cache now and then.
const slowRow = 1.1

// share takes a row's accesses in with their time and that of their lookups. It returns the share
// of the core's clock in their time. ok is false while recent accesses took no longer than hits,
// unless the row's did: then these are lines from second caches, or lines for which several cores
// wait in turn, which take as many cycles of the time. A row without lookups has the rest of an
// access that was looked up in the row before, and counts alike: a long access is more likely to be
// cut.
func (s *second) share(time, looks float64) (inCore float64, ok bool) {
	if s.line == 0 {
		return 0, false
	}
	keep := math.Exp(-looks / s.lookup / recentAccesses)
	s.time, s.looks = s.time*keep+time, s.looks*keep+looks
	n := s.looks / s.lookup
	if s.time <= n*s.hit {
		slow := s.slowRows && time > looks/s.lookup*s.hit*slowRow
		return s.inCore / s.line, slow
	}
	lines := min((s.time-n*s.hit)/(s.line-s.hit), n)
	return lines * s.inCore / s.time, true
}
