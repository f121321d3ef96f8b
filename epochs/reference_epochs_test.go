package epochs

import (
	"math/big"
	"slices"
	"sort"

	"github.com/ebb-energy/ebb/units"
)

const refFar = Ticks(1) << 60

// testCut stands for a Cut in a list of events.
const testCut Kind = 100

// referenceEpochs is what an Assembler should let out for events between begin and end.
func referenceEpochs(n int, resync, from, to int64, events []Event) []Epoch {
	begin, end := Ticks(from), Ticks(to)
	r := &reference{n: n, resync: Ticks(resync), begin: begin, now: begin, lost: -1,
		expires: refFar, forked: map[TID]TID{}}
	for i := range events {
		r.event(&events[i])
	}
	r.event(&Event{Kind: Tick, At: units.Instant(end)})
	r.cut(end, End{Kind: EndRun, Thread: NoThread, By: NoThread})
	for _, run := range r.runs {
		if run.open {
			run.to = end
		}
	}
	// Both parts of a renamed run see all slices.
	for i := 0; i < len(r.renamed); i += 2 {
		r.renamed[i].slices = r.renamed[i+1].slices
	}
	sort.Slice(r.boundaries, func(i, j int) bool { return r.boundaries[i].at < r.boundaries[j].at })
	var out []Epoch
	start := begin
	for _, b := range r.boundaries {
		if b.at == start {
			continue
		}
		out = append(out, r.epoch(len(out), start, b))
		start = b.at
	}
	return out
}

func (r *reference) epoch(id int, start Ticks, b refBoundary) Epoch {
	e := Epoch{ID: id, Start: start, Dur: b.at - start, Ends: b.ends}
	for _, h := range r.holes {
		if h[0] < b.at && h[1] > start {
			e.Hole = true
		}
	}
	for _, run := range r.runs {
		if run.from > start || run.to < b.at {
			continue
		}
		row := Row{Thread: run.tid, Values: make([]int64, r.n)}
		var covered Ticks
		for _, s := range run.slices {
			lo, hi := max(start, s.since), min(b.at, s.to)
			if lo >= hi {
				continue
			}
			covered += hi - lo
			if r.n > 0 && !slices.ContainsFunc(s.counters[:r.n],
				func(c uint64) bool { return c > 0 }) {
				row.Uncounted += hi - lo
			}
			for i := range row.Values {
				row.Values[i] += share(s, i, hi) - share(s, i, lo)
			}
		}
		if r.n > 0 && covered < e.Dur {
			e.Hole = true
		}
		e.Rows = append(e.Rows, row)
	}
	sort.Slice(e.Rows, func(i, j int) bool { return e.Rows[i].Thread < e.Rows[j].Thread })
	return e
}

// share is what a slice has counted up to at.
func share(s refSlice, i int, at Ticks) int64 {
	v := new(big.Int).SetUint64(s.counters[i])
	v.Mul(v, big.NewInt(int64(at-s.from)))
	return v.Quo(v, big.NewInt(int64(s.to-s.from))).Int64()
}
