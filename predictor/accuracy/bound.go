package accuracy

import (
	"slices"
	"sort"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/hpc"
)

// bound predicts base's run at the target's frequency. It takes every thread's own times from the
// target run itself, and predicts only the waiting along wake edges, as the model wake does. No
// estimate of the threads' times can mend its error: the order of wakes at the base frequency does
// not determine the order at the target.
//
// A stretch of a thread is found again in the target run by its instructions, counted from the
// thread's start and stretched to the thread's whole. Where threads take their work from a common
// queue, or spin, that is only nearly right, and the bound with it.
func bound(base, target *trace) (float64, bool) {
	b, ok1 := curves(base)
	t, ok2 := curves(target)
	if !ok1 || !ok2 {
		return 0, false
	}
	insts := slices.Index(base.columns, hpc.Insts)
	clock := map[epochs.TID]float64{}
	done := map[epochs.TID]float64{}
	for i := range base.epochs {
		e := &base.epochs[i]
		for _, r := range e.Rows {
			if t[r.Thread] == nil || r.Thread == epochs.NoThread {
				continue
			}
			scale := t[r.Thread].insts[len(t[r.Thread].insts)-1] /
				max(b[r.Thread].insts[len(b[r.Thread].insts)-1], 1)
			from := done[r.Thread]
			to := from + float64(r.Values[insts])
			done[r.Thread] = to
			clock[r.Thread] += t[r.Thread].time(to*scale) - t[r.Thread].time(from*scale)
		}
		if len(e.Rows) == 0 {
			for t := range clock {
				clock[t] += float64(e.Dur)
			}
		}
		join(clock, e.Ends)
	}
	var end float64
	for _, c := range clock {
		end = max(end, c)
	}
	return end, true
}

// join moves the clocks of the woken threads.
func join(clock map[epochs.TID]float64, ends []epochs.End) {
	for i, x := range ends {
		switch {
		case x.By == epochs.NoThread:
		case x.Kind == epochs.EndStart:
			clock[x.Thread] = clock[x.By]
		case x.Kind == epochs.EndWake:
			if slices.ContainsFunc(ends[:i],
				func(y epochs.End) bool { return y.Kind == epochs.EndWake && y.By == x.By }) {
				continue
			}
			var woken []epochs.TID
			for _, y := range ends[i:] {
				if y.Kind == epochs.EndWake && y.By == x.By {
					woken = append(woken, y.Thread)
				}
			}
			latest := clock[x.By]
			for _, t := range woken {
				latest = max(latest, clock[t])
			}
			for _, t := range woken {
				clock[t] = latest
			}
			if len(woken) > 1 {
				clock[x.By] = latest
			}
		}
	}
}

// curve is a thread's running time over its instructions.
type curve struct{ insts, times []float64 }

func curves(t *trace) (map[epochs.TID]*curve, bool) {
	col := slices.Index(t.columns, hpc.Insts)
	if col < 0 {
		return nil, false
	}
	out := map[epochs.TID]*curve{}
	for _, e := range t.epochs {
		for _, r := range e.Rows {
			c := out[r.Thread]
			if c == nil {
				c = &curve{[]float64{0}, []float64{0}}
				out[r.Thread] = c
			}
			n := len(c.insts) - 1
			c.insts = append(c.insts, c.insts[n]+float64(r.Values[col]))
			c.times = append(c.times, c.times[n]+float64(e.Dur))
		}
	}
	return out, true
}

func (c *curve) time(insts float64) float64 {
	i := sort.SearchFloat64s(c.insts, insts)
	switch {
	case i == 0:
		return 0
	case i == len(c.insts):
		return c.times[i-1]
	}
	d := c.insts[i] - c.insts[i-1]
	if d == 0 {
		return c.times[i]
	}
	return c.times[i-1] + (c.times[i]-c.times[i-1])*(insts-c.insts[i-1])/d
}
