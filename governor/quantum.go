package governor

import (
	"time"

	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/units"
)

// Quantum is what was found in one profiled quantum and what was decided at its end.
type Quantum struct {
	Start units.Instant
	Dur   time.Duration
	// Delivered is the frequency the quantum was measured at. In shadow mode it is the virtual
	// processor's highest.
	Delivered units.Frequency
	// Effective is the frequency that was asked for during the quantum. It differs from Delivered
	// in shadow mode, where nothing is asked of the machine, and while a request has not taken
	// effect.
	Effective units.Frequency
	// Max and AtEffective are the predicted durations of the quantum's work at the highest
	// frequency and at Effective, in ns.
	Max, AtEffective float64
	// AtHighest is what the budget's account takes for the duration of its work at the highest
	// frequency, in ns: Max, with what threads were ahead of each other when it began
	// (policy.Quantum.Highest). 0 where no account asks.
	AtHighest float64
	// Expected is the ratio AtEffective / Max that the decision in force was made on; 0 before the
	// first one.
	Expected float64

	Epochs       int           // epochs that ended in the quantum
	Rows         int           // epochs times their running threads
	Busy         time.Duration // time with at least one thread running
	ThreadRun    time.Duration // run time summed over threads
	Instructions uint64        // 0 when they are not counted
	// the program's requests to memory, by the cores; 0 when they are not counted
	DRAMReads uint64
	Lost      uint64 // records lost in the quantum
	Stale     bool   // decided more than a quantum too late
	Hole      bool   // its data has holes

	// MemoryReads and MemoryWrites are the lines that the whole machine moved, by the memory
	// controllers, at the rate of the newest readings of them. MemoryCounted says whether there
	// were any.
	MemoryReads, MemoryWrites uint64
	MemoryCounted             bool

	// Compared says that the prediction of the quantum before could be compared with this one, by
	// the work they did. Error is then ln(actual / predicted) of the time per instruction.
	Compared bool
	Error    float64
	// Alpha is the place of the non-scaling time in its bracket that was used.
	Alpha float64
	// Lean is by how much predictions were found to lean, and were corrected: ln of time per ln of
	// frequency. Doubt is by which share the predicted duration at the highest frequency is still
	// uncertain (a standard deviation).
	Lean, Doubt float64

	Chosen    units.Frequency // the frequency decided for what follows
	ChosenDur float64         // predicted duration of this quantum's work at Chosen, ns
	Slack     time.Duration   // excess time carried on (equation 1)
	Reason    policy.Reason
	Rules     int // for how many quanta the decision holds: the hold-off
}

// Lines is what is known best of the lines read from memory and written to it. The cores see fewer
// than the controllers: no writes, and of the reads those that instructions asked for.
func (q *Quantum) Lines() (reads, writes uint64) {
	if q.MemoryCounted {
		return q.MemoryReads, q.MemoryWrites
	}
	return q.DRAMReads, 0
}
