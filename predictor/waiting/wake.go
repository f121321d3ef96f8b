package waiting

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
)

// Wake predicts with a clock per thread; a wake joins the clocks of the waker and the woken. See
// "Threads that wait for each other" in the package's documentation.
//
// As epochs are added, each thread's times are only summed up. At an event that concerns the thread
// they become a line (a step "run"), and the event a step on the clocks. A prediction walks the
// steps, so that it costs O(1) per event, however many threads run beside.
type Wake struct {
	threads []thread
	steps   []step
	lines   []nonscaling.Line
	places  []lineStart // places of the lines
	points  []point
	members []int32 // threads of the steps that have several
	ratios  []float64

	bases []float64 // Hz
	now   int64     // measured time up to which epochs were added
	last  []int32   // threads of the last epoch that had any

	latencies nonscaling.Latencies
	lockWait  int64 // lockWait in time units
	waits     waits
	// wakersKnown: some event has named a waker, so the tracer knows wakers.
	wakersKnown bool
	group       group
	parties     parties
	without     nonscaling.Rules
	clock       []float64
	leads       []lead   // leads at the end of the quantum before
	spare       []lead   // room for the leads of the next quantum
	queued      float64  // growth of a ns of waiting for memory, in a walk
	passed      []passed // clocks before and after each line
	scratch     []int32
	left        []int32 // threads that left their CPUs at the instant of the current events
	over        []int32 // thread whose CPU the thread of each current event takes over; -1: none
}

// thread is the state of a thread while epochs are added.
type thread struct {
	open  nonscaling.Parts // parts of its time since its last step
	base  int32            // index in bases of the frequency at which that time ran
	any   bool             // open holds something
	seen  bool
	other bool  // it sleeps for another reason than a futex
	apart bool  // other is set, or no thread of the program ended its last sleep
	gone  bool  // it has ended
	woken bool  // it was woken in this work
	level bool  // no event explains where its clock was when it first ran, or was first needed
	at    int64 // measured time up to which its clock has come, open included
	line  int32 // index of its newest line, or -1
	era   int32 // newest era in which it ran; see parties
	// asleep: it sleeps in a futex.
	asleep bool
	tid    epochs.TID
	waits  waitFor
	pace   int32 // index in waits.paces of the pace of its wait, or -1
	// behind is the thread that took over its CPU while it waits for its turn, -1 where that is not
	// known. turn is the number of turns that behind had had by then.
	behind, turn int32
	turns        int32 // number of times that it has come to a CPU
}

// step is one operation on the clocks.
type step struct {
	kind   stepKind
	thread int32 // in a late meeting, the first member that had left before
	arg    int32 // index of the line, of the thread joined, of the first member, or of the point
	// n is the number of members, or the index of the base frequency of a run or a wait, or the
	// other thread joined.
	n     int32
	delay float64 // time that does not scale
	most  float64 // longest time that a short wait may become; 0 for no bound
}

type stepKind uint8

const (
	stepRun   stepKind = iota // clock += line
	stepJoin                  // clock becomes at least that of arg, plus delay
	stepBegin                 // clock = that of arg, plus delay
	stepPass                  // clock += delay
	stepTake                  // clock becomes at least those of arg and n
	stepMeet                  // the members' clocks all become their latest
	// stepWoken: clock becomes at least that of the point, plus delay, as far as the wait may
	// become so long.
	stepWoken
	stepLate // a meeting whose members leave it later by delay
	// stepShort: clock becomes at least that of arg, plus delay, as far as the wait may become so
	// long at a lower clock.
	stepShort
	stepWait // clock += the wait arg
	stepTurn // clock becomes at least that of n, plus the wait arg
)

// group is the newest wake: of one thread, or of several by one waker. It may go on in the next
// epoch.
type group struct {
	by      int32
	epoch   int
	members []int32
	party   party
}

// NewWake makes the model for a machine's latencies and for epochs in the given time unit. The
// rules in without are left out.
func NewWake(
	l nonscaling.Latencies, unit epochs.TimeUnit, without nonscaling.Rules,
) *Wake {
	return &Wake{latencies: l, without: without,
		lockWait: int64(lockWait) * unit.PerNs(),
		waits: waits{period: float64(int64(quotaPeriod) * unit.PerNs()),
			least: float64(int64(leastPace) * unit.PerNs())}}
}

// Reset implements Model.
func (m *Wake) Reset() {
	m.keepWaits()
	m.threads, m.steps, m.lines = m.threads[:0], m.steps[:0], m.lines[:0]
	m.members, m.bases = m.members[:0], m.bases[:0]
	m.places, m.points = m.places[:0], m.points[:0]
	m.last, m.now = m.last[:0], 0
	m.group = group{by: -1, members: m.group.members[:0]}
	m.parties.era++
}

// know takes in threads that are new to the work.
func (m *Wake) know(w *Work) {
	for n := len(m.threads); n < w.Threads.Len(); n++ {
		m.threads = append(m.threads, thread{line: -1, pace: -1, behind: -1, tid: w.Threads.ID(n)})
	}
}

// Add implements Model.
func (m *Wake) Add(w *Work, e int) {
	s := &w.Spans[e]
	if s.Start != m.waits.until { // the time between was not profiled
		m.waits.slept, m.waits.before, m.waits.kept = 0, 0, m.waits.kept[:0]
		m.waits.usual = pace{}
		m.parties.partial = 0
	}
	if e == 0 && len(m.waits.kept) > 0 {
		m.takeWaits(w, s.Waiting)
	}
	m.know(w)
	if len(m.bases) == 0 || m.bases[len(m.bases)-1] != s.Base {
		m.bases = append(m.bases, s.Base)
	}
	base := int32(len(m.bases) - 1)
	rows := w.Thread[s.Row:s.RowEnd]
	for _, t := range rows { // before any of them has run on
		if th := &m.threads[t]; th.at != m.now || !th.seen || m.bases[th.base] != s.Base {
			m.appear(t)
			th.base = base
		}
	}
	for i, t := range rows {
		th := &m.threads[t]
		th.open.Add(&w.Newest[i])
		th.any = true
		th.era, th.asleep = m.parties.era, false
	}
	if len(rows) == 0 && m.waits.n == 0 {
		m.waits.slept += int64(s.Dur)
	}
	m.waits.until = s.Start + int64(s.Dur)
	m.now += int64(s.Dur)
	for _, t := range rows {
		m.threads[t].at = m.now
	}
	if len(rows) > 0 {
		m.last = append(m.last[:0], rows...)
	}
	if s.End < s.EndEnd {
		m.events(w.Ends[s.End:s.EndEnd], e, len(rows) == 0)
	}
}
