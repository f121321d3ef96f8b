package predictor

import (
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
)

// paperEstimators returns the models of sequential programs that the paper describes (section 2.1),
// each over one column, and the same over other columns. In the names of a simulator's columns
// _dram means loads that went to memory, _off loads that left the core's clock domain, and an x at
// the end that only the time outside that domain counts.
func paperEstimators() []nonscaling.Estimator {
	return []nonscaling.Estimator{
		column("crit", "2.1", hpc.CritDRAM, hpc.SQFull,
			"critical path through the loads that went to memory (CRIT)"),
		column("crit-off", "", hpc.CritOff, hpc.SQOff,
			"CRIT over the loads that left the core's clock domain"),
		column("crit-offx", "", hpc.CritOffX, hpc.SQOff,
			"CRIT over the time of loads outside the core's clock domain"),
		column("leading-loads", "2.1", hpc.LeadDRAM, hpc.SQFull,
			"the leading load of each cluster of misses that went to memory"),
		column("leading-loads-offx", "", hpc.LeadOffX, hpc.SQOff,
			"leading loads over the time outside the core's clock domain"),
		column("stall", "2.1", hpc.StallDRAM, hpc.SQFull,
			"time in which nothing commits behind a load that went to memory"),
		column("stall-off", "", hpc.StallOff, hpc.SQOff,
			"stall time behind a load that left the core's clock domain"),
	}
}

// column makes an estimator from a column of load time and one of store-queue-full time.
func column(name, section, load, store, doc string) nonscaling.Estimator {
	return nonscaling.Estimator{Name: name, Section: section, Columns: []string{load},
		Store: []string{store}, Doc: doc,
		Make: func(c nonscaling.Columns, o nonscaling.Options) nonscaling.Splitter {
			s := columnSplitter{c.Index(load), -1}
			if o.Burst {
				s.store = c.Index(store)
			}
			return s
		}}
}

// columnSplitter takes the non-scaling time from a column as it is; BURST adds that of another
// (section 3.4).
type columnSplitter struct{ load, store int }

// Rebase implements nonscaling.Splitter: what the column has is the same at any frequency.
func (columnSplitter) Rebase(float64) {}

// Split implements nonscaling.Splitter.
func (s columnSplitter) Split(v []int64, dur int64) (p nonscaling.Parts, clamped bool) {
	p.Dur = dur
	p.Lo = v[s.load]
	p.Hi = p.Lo
	if s.store >= 0 {
		p.Stall = v[s.store]
		p.Out = p.Stall
	}
	clamped = p.Clamp()
	return p, clamped
}
