package nonscaling

import "math"

// onChip is the accesses that leave the core's clock domain and do not go to memory, as far as real
// processors count them. Such an access is of one of three kinds: a hit in the shared cache, a line
// from another core's first cache, or one from its second. Counters do not distinguish them, so
// they are taken to be equally many.
//
// Where their number is counted, it bounds their mean time from below: loads that overlap, or wait
// for the same line, make the time for each shorter, not longer. At a high clock, where a hit takes
// four times as long as a line from a first cache, that says much. The place of the mean between
// the fastest and the slowest kind is then kept between the bound and the slowest.
type onChip struct {
	fast, slow float64 // ns of an access of the fastest and of the slowest kind
	mean       float64 // ns of an access if all kinds are equally many
	meanInCore float64 // part of mean in the core's clock, ns
	slowInCore float64 // part of slow in the core's clock, ns
}

func newOnChip(m *Latencies, cycleNs float64, without Rules) onChip {
	type kind struct{ fixed, inCore float64 }
	kinds := []kind{{fixed: m.SharedNs}, {m.TransferNs, m.TransferCycles * cycleNs}}
	if m.SecondCycles > 0 && without&ThreeKinds == 0 {
		kinds = append(kinds, kind{m.SecondNs, m.SecondCycles * cycleNs})
	}
	o := onChip{fast: math.Inf(1)}
	for _, k := range kinds {
		ns := k.fixed + k.inCore
		o.mean += ns / float64(len(kinds))
		o.meanInCore += k.inCore / float64(len(kinds))
		o.fast = min(o.fast, ns)
		if ns > o.slow {
			o.slow, o.slowInCore = ns, k.inCore
		}
	}
	return o
}

// inCore returns the share of the core's clock in the time of accesses whose mean was at least so
// many ns.
func (o *onChip) inCore(least float64) float64 {
	if least <= o.fast {
		return o.meanInCore / o.mean
	}
	slow := min((least-o.fast)/(o.slow-o.fast), 1)
	return (o.meanInCore + slow*(o.slowInCore-o.meanInCore)) / (o.mean + slow*(o.slow-o.mean))
}
