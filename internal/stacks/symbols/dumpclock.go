package symbols

import (
	"cmp"
	"math"
	"slices"
)

// clocks hold the times that a dump can have, in ns on CLOCK_MONOTONIC: from the file's creation to
// the present.
type clocks struct {
	from, until uint64
	real        int64 // ns that CLOCK_REALTIME is ahead
}

// clockSlack is the time in ns that a file's creation and a record may differ by: clocks are set,
// and a virtual machine may date what it made before it opened the file.
const clockSlack = 10_000_000_000

// clocksOf returns the clocks of a dump. All times are possible where the source cannot say when it
// was made.
func (r *Resolver) clocksOf(d *dump) clocks {
	now, made, ahead, err := r.source.Times(d.file)
	if err != nil {
		return clocks{until: math.MaxUint64}
	}
	return clocks{from: made - min(made, clockSlack), until: now + clockSlack, real: ahead}
}

// onClock converts the times to CLOCK_MONOTONIC, which the samples have. A machine may have written
// times of day, which are shifted, or times of an unknown clock, which make the records foreign.
// Records that all have one time and whose code overlaps are foreign too.
func (d *dumpRecords) onClock(c clocks) {
	if d.foreign || len(d.changes) == 0 {
		return
	}
	first, last := uint64(math.MaxUint64), uint64(0)
	for i := range d.changes {
		if x := &d.changes[i]; x.kind != codeClose {
			first, last = min(first, x.at), max(last, x.at)
		}
	}
	if first > last {
		return
	}
	real := uint64(max(c.real, 0))
	switch {
	case first == last && d.overlap():
		d.foreign = true
	case first >= c.from && last <= c.until:
	case first >= real && first-real >= c.from && last-real <= c.until:
		for i := range d.changes {
			d.changes[i].at -= min(real, d.changes[i].at)
		}
	default:
		d.foreign = true
	}
}

// overlap reports whether two pieces of code of one process overlap, by all records of code that
// was made.
func (d *dumpRecords) overlap() bool {
	made := slices.DeleteFunc(slices.Clone(d.changes), func(c change) bool {
		return c.kind != codeLoad
	})
	slices.SortFunc(made, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.pid, b.pid), cmp.Compare(a.start, b.start))
	})
	for i := 1; i < len(made); i++ {
		if made[i].pid == made[i-1].pid && made[i].start < made[i-1].end {
			return true
		}
	}
	return false
}
