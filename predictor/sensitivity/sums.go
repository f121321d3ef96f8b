package sensitivity

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

const (
	// block is the running time whose slices are one observation for the interval: neighbours are
	// alike.
	block = 50 * time.Millisecond
	// leastBlocks is the number of observations without which the interval is everything.
	leastBlocks = 4
	// reach is half the width of an interval of 95 in 100, in standard deviations.
	reach = 1.96
)

// sums are the sums over a function's slices.
type sums struct {
	code          Code
	n             int
	time          float64
	fixed, cycles float64
	blocks        []observation
}

// observation is the sum over a block.
type observation struct {
	from          units.Instant
	thread        epochs.TID
	fixed, cycles float64
}

// maxBlocks bounds the observations of a function. Later ones are added to the last.
const maxBlocks = 1 << 12

func (f *sums) add(s *Slice) {
	f.n++
	f.time += float64(s.To - s.From)
	f.fixed += s.Fixed
	f.cycles += s.Cycles
	last := len(f.blocks) - 1
	if last < 0 || last+1 < maxBlocks && (f.blocks[last].thread != s.Thread ||
		s.From.Sub(f.blocks[last].from) >= block) {
		f.blocks = append(f.blocks, observation{from: s.From, thread: s.Thread})
		last++
	}
	f.blocks[last].fixed += s.Fixed
	f.blocks[last].cycles += s.Cycles
}

// function returns a function's entry. The ratio of time that does not scale to cycles is the
// function's own; the share follows from it and the clock.
func (f *sums) function(hz float64) Function {
	out := Function{Name: cut(f.code.Name), Module: cut(f.code.Module), BuildID: f.code.BuildID,
		Slices: f.n, TimeNS: int64(f.time), High: 1}
	if out.Class, out.Signature = f.code.Class, f.code.Signature; out.Class == "" {
		out.Ranges = []Range{f.code.Range}
	}
	share := func(ratio float64) float64 { // ratio is in ns for each cycle
		ratio = max(ratio, 0)
		return ratio / (ratio + 1e9/hz)
	}
	if f.cycles <= 0 {
		out.Share, out.Low = 1, 0
		return out
	}
	ratio, squares := f.fixed/f.cycles, 0.0
	for _, b := range f.blocks {
		d := b.fixed - ratio*b.cycles
		squares += d * d
	}
	out.Share = share(ratio)
	if n := float64(len(f.blocks)); n >= leastBlocks {
		deviation := math.Sqrt(squares*n/(n-1)) / f.cycles
		out.Low, out.High = share(ratio-reach*deviation), share(ratio+reach*deviation)
	}
	return out
}
