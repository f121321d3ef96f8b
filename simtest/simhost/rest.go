package simhost

import (
	"slices"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/coalesce"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/simtest"
)

// rest has the computer check what the program does, as the kernel's programs do on a host.
func (r *Rig) rest(s governor.Silence) {
	names := r.computer.CounterNames()
	instructions := max(slices.Index(names, hpc.Instructions), slices.Index(names, hpc.Insts))
	requests := slices.Index(names, hpc.DRAMReads)
	r.computer.Rest(s.From, s.Until, func(w *simtest.Work) bool {
		done := coalesce.Work{Time: w.Time, Run: w.Run, Switches: w.Switches}
		if instructions >= 0 {
			done.Counted, done.Instructions = w.Run, w.Counters[instructions]
		}
		if requests >= 0 {
			done.Requests = w.Counters[requests]
		}
		return s.Within.Hold(&done)
	})
}
