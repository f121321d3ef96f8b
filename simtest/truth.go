package simtest

import (
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// Truth is the run as it really was, which no counter of the computer reports exactly.
type Truth struct {
	Wall        time.Duration
	Energy      hardware.Energy
	Frequencies []Residence // time at each frequency, ascending

	// Work is the instructions of application and collector threads, without spinning and the
	// kernel's paths. It is the same at every frequency. The program's end cuts compilers and other
	// runtime threads short anywhere, so Work leaves them out.
	Work         int64
	Instructions int64         // instructions retired by all threads
	Allocated    int64         // bytes allocated from all heaps
	Epochs       int64         // synchronisation epochs that have a length
	Busy, Idle   time.Duration // times of all cores together: Busy + Idle = cores * Wall
	Computing    time.Duration // part of Wall in which some core was busy

	Collections int
	GCTime      time.Duration // time from the request to stop until the world goes on

	L3                    int64 // accesses to the shared cache
	DRAMReads, DRAMWrites int64 // lines

	Requests, Refused, Transitions int // changes of the frequency: requests, refusals, transitions
	Lost                           int // number of lost records

	Threads  []ThreadTruth
	Progress []Progress // a point at each multiple of Options.Progress, and one at the end
}

// Residence is the time at one frequency. Busy is summed over all cores.
type Residence struct {
	Frequency  units.Frequency
	Time, Busy time.Duration
}

// ThreadTruth is the truth about one thread. Run + Ready + Asleep = End - Start.
type ThreadTruth struct {
	ID   epochs.TID
	Name string
	Role Role

	Start, End         units.Instant
	Run, Ready, Asleep time.Duration // Ready: runnable, without a core
	Spun               time.Duration // the part of Run spent spinning for a lock

	Work, Instructions int64
	Allocated          int64
	Switches           int64 // number of times that it left its core
	FutexSleeps        int64
	Migrations         int64
}

// Progress is a point of the run by work, which is comparable across frequencies.
type Progress struct {
	Work   int64           // instructions so far, as in Truth.Work
	At     time.Duration   // time since the beginning
	Energy hardware.Energy // so far
}

// Usage is the run so far as a controller can know it, from the kernel's accounting and the core's
// counters.
type Usage struct {
	At                    units.Instant
	Busy                  []time.Duration // busy time of each core
	Cycles                []float64       // cycles of each core's clock while busy
	Instructions          int64           // sum over all cores, the kernel's and spinning included
	DRAMReads, DRAMWrites int64           // lines
	Frequency             units.Frequency // present clock
}

// Truth returns the run as it really was so far; it is complete after End.
func (m *Computer) Truth() *Truth {
	a := &m.tally
	tr := a.truth
	now := m.instant()
	tr.Wall = now.Sub(Beginning)
	tr.Energy = m.meter.Sum()
	tr.Work, tr.Instructions = m.work(), int64(a.instructions+0.5)
	tr.L3, tr.DRAMReads, tr.DRAMWrites = int64(a.l3+0.5), int64(a.reads+0.5), int64(a.writes+0.5)
	tr.Busy, tr.Computing = a.busySoFar(m), time.Duration(a.computing/psPerNs)
	tr.Idle = time.Duration(len(m.cores))*tr.Wall - tr.Busy
	for i, r := range a.states {
		if i == a.state {
			r.Time += now.Sub(a.since)
			for _, c := range m.cores {
				if c.t != nil {
					r.Busy += now.Sub(c.since)
				}
			}
		}
		if r.Time > 0 {
			tr.Frequencies = append(tr.Frequencies, r)
		}
	}
	for _, t := range m.threads {
		x := t.truth
		switch d := now.Sub(t.since); t.state {
		case asleep:
			x.Asleep += d
		case waking, ready:
			x.Ready += d
		case running:
			x.Run += d
		}
		if t.state != ended {
			x.End = now
		}
		x.Work, x.Instructions = t.workDone(), t.instructions()
		tr.Allocated += x.Allocated
		tr.Threads = append(tr.Threads, x)
	}
	return &tr
}

// workDone returns the instructions of work that t has retired.
func (t *Thread) workDone() int64 {
	w := t.worked
	if t.seg.left > 0 && t.seg.kind == workSegment {
		w += t.seg.n * (1 - t.seg.left)
	}
	return int64(w + 0.5)
}

func (t *Thread) instructions() int64 {
	w := float64(t.workDone()) + t.other
	if t.seg.left > 0 {
		w += t.seg.cycles * (1 - t.seg.left)
		if t.seg.kind != workSegment {
			w += t.seg.n * (1 - t.seg.left)
		}
	}
	return int64(w + 0.5)
}

// work returns the work that application threads and collectors have done.
func (m *Computer) work() int64 {
	var w int64
	for _, t := range m.threads {
		if t.role == App || t.role == Collector {
			w += t.workDone()
		}
	}
	return w
}
