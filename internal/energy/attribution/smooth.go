package attribution

import (
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/units"
)

// smoother finds the time of other programs in windows that are shorter than Period. The kernel
// counts busy time in ticks of 10 ms. So most of these windows have none, and some have more than
// they last. The mean over the last windows, a Period together, is right in the long run.
type smoother struct{ past []pastWindow }

// pastWindow is the time in a window beyond the target's. It is below zero where the kernel's tick
// comes later.
type pastWindow struct {
	dur    time.Duration
	beside map[energy.CPU]time.Duration
}

// others replaces the CPUs' busy time in a window by other programs' part.
func (s *smoother) others(w *energy.Window) {
	beside, ran := map[energy.CPU]time.Duration{}, map[energy.CPU]time.Duration{}
	clock := map[energy.CPU]units.Frequency{}
	for i := range w.Others {
		beside[w.Others[i].CPU] += w.Others[i].Time
	}
	for i := range w.Runs {
		r := &w.Runs[i]
		beside[r.CPU] -= r.Time()
		if r.Time() > ran[r.CPU] {
			ran[r.CPU], clock[r.CPU] = r.Time(), r.Frequency
		}
	}
	s.past = append(s.past, pastWindow{w.Dur(), beside})
	var all time.Duration
	first := len(s.past)
	for first > 0 && all < Period {
		first--
		all += s.past[first].dur
	}
	s.past = append(s.past[:0], s.past[first:]...)
	sums := map[energy.CPU]time.Duration{}
	for _, p := range s.past {
		for c, d := range p.beside {
			sums[c] += d
		}
	}
	w.Others = w.Others[:0]
	for c, d := range sums {
		if d <= 0 || all <= 0 {
			continue
		}
		part := time.Duration(float64(d) * (float64(w.Dur()) / float64(all)))
		w.Others = append(w.Others,
			energy.Other{CPU: c, Time: min(part, w.Dur()), Frequency: clock[c]})
	}
	sortOthers(w.Others)
}
