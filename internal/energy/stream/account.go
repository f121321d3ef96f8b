package stream

import (
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/units"
)

// Bounds of an account. They hold the time that a line takes, which is the deciding thread's.
const (
	maxProcesses = 1024    // ended processes that are kept separately
	maxMethods   = 4096    // methods, by name
	maxCells     = 1 << 16 // pairs of a method and a thread
	maxApart     = 256     // threads whose samples are kept apart, for the intervals
	maxGone      = 64      // threads that ended and are still listed
)

// Account is what a run has used so far. It is for one goroutine.
type Account struct {
	threads map[epochs.TID]*thread
	ended   map[int32]*sums // sums of threads that ended, by process
	gone    []Thread        // ended threads with the most energy, in no order
	names   map[int32]string
	before  map[int32]since // energy of processes

	methods []method
	index   map[string]int
	ends    part // samples of threads that ended
	rest    part // samples of threads beyond maxApart
	apart   int
	cells   int
	samples int
	sampled units.Energy
	virtual units.Energy // of sampled, what virtual threads used

	every time.Duration // the least time between two lines, but for the last
	at    units.Instant // time of the line before
	from  units.Instant // time of the line before that
	total since         // energy of the machine
}

// since is the energy at the two lines before the next one.
type since struct{ earlier, before units.Energy }

// next takes over a line's energy.
func (s since) next(e units.Energy) since { return since{s.before, e} }

// sums are the sums of several threads.
type sums struct {
	threads int
	energy  units.Energy
	cpu     time.Duration
}

// thread is a living thread.
type thread struct {
	pid    int32 // 0 until it is known
	comm   string
	looked int // number of lines since its name was read
	energy units.Energy
	since  since
	cpu    time.Duration
	part   *part // nil until it is sampled
}

// part has the samples of one thread, or of several that count as one.
type part struct {
	all     units.Energy
	squares float64
	own     map[int]units.Energy // energy by method
}

// method is a unit of the view.
type method struct {
	name    string
	energy  units.Energy
	cpu     time.Duration
	samples int
}

// moreMethods is the name for methods without room of their own.
const moreMethods = "(more methods)"

// New is an empty account that begins at a time. But for the last, no two lines are closer than
// every.
func New(begin units.Instant, every time.Duration) *Account {
	a := &Account{threads: map[epochs.TID]*thread{}, ended: map[int32]*sums{},
		names: map[int32]string{}, before: map[int32]since{}, index: map[string]int{},
		every: every, at: begin, from: begin}
	a.Method(moreMethods)
	return a
}

func (a *Account) thread(t epochs.TID) *thread {
	x := a.threads[t]
	if x == nil {
		x = &thread{}
		a.threads[t] = x
	}
	return x
}

// Ran adds CPU time to a thread. Charged adds its energy of a window.
func (a *Account) Ran(t epochs.TID, d time.Duration)    { a.thread(t).cpu += d }
func (a *Account) Charged(t epochs.TID, e units.Energy) { a.thread(t).energy += e }

// Name notes a living thread's name and process.
func (a *Account) Name(t epochs.TID, pid int32, comm string) {
	x := a.thread(t)
	x.pid, x.comm, x.looked = pid, comm, 0
	if epochs.TID(pid) == t && len(a.names) < 4*maxProcesses {
		a.names[pid] = comm
	}
}

// Named returns a thread's name as far as it is known.
func (a *Account) Named(t epochs.TID) (comm string, ok bool) {
	if x := a.threads[t]; x != nil && x.pid != 0 {
		return x.comm, true
	}
	return "", false
}

// Method returns the number of a method.
func (a *Account) Method(name string) int {
	i, ok := a.index[name]
	if ok {
		return i
	}
	if len(a.methods) >= maxMethods {
		return 0
	}
	i = len(a.methods)
	a.methods, a.index[name] = append(a.methods, method{name: name}), i
	return i
}

// Booked adds what a method of a thread got (energy.Watcher). The thread may have exited since.
func (a *Account) Booked(
	t epochs.TID, i int, e units.Energy, cpu time.Duration, samples int, squares float64,
) {
	m := &a.methods[i]
	m.energy += e
	m.cpu += cpu
	m.samples += samples
	a.samples += samples
	a.sampled += e
	a.add(a.partOf(t), i, e, squares)
}

// Carried says of energy that was booked that a virtual thread used it.
func (a *Account) Carried(e units.Energy) { a.virtual += e }

func (a *Account) partOf(t epochs.TID) *part {
	x := a.threads[t]
	switch {
	case x == nil:
		return &a.ends
	case x.part != nil:
		return x.part
	case a.apart >= maxApart:
		return &a.rest
	}
	a.apart++
	x.part = &part{}
	return x.part
}

func (a *Account) add(p *part, i int, e units.Energy, squares float64) {
	if p.own == nil {
		p.own = map[int]units.Energy{}
	}
	before, ok := p.own[i]
	if !ok && a.cells >= maxCells {
		i, before = 0, p.own[0]
	} else if !ok {
		a.cells++
	}
	p.own[i] = before + e
	p.all += e
	p.squares += squares
}

// Exited ends a thread, whose process and name are known or not (pid 0). All that it used has been
// booked. Number is the kernel's.
func (a *Account) Exited(t, number epochs.TID, pid int32, comm string) {
	x := a.threads[t]
	if x == nil {
		return
	}
	if pid != 0 {
		a.Name(t, pid, comm)
	}
	delete(a.threads, t)
	if x.part != nil {
		a.apart--
		for i, e := range x.part.own {
			a.cells--
			a.add(&a.ends, i, e, 0)
		}
		a.ends.squares += x.part.squares
	}
	a.keep(Thread{TID: int32(number), PID: x.pid, Name: x.comm, Ended: true,
		EnergyNJ: int64(x.energy), CPUNS: int64(x.cpu)})
	pid = x.pid
	s := a.ended[pid]
	if s == nil {
		if len(a.ended) >= maxProcesses {
			pid = 0
		}
		if s = a.ended[pid]; s == nil {
			s = &sums{}
			a.ended[pid] = s
		}
	}
	s.threads++
	s.energy += x.energy
	s.cpu += x.cpu
}

// keep keeps a thread that ended, if it is among those with the most energy.
func (a *Account) keep(t Thread) {
	if len(a.gone) < maxGone {
		a.gone = append(a.gone, t)
		return
	}
	least := 0
	for i := range a.gone {
		if a.gone[i].EnergyNJ < a.gone[least].EnergyNJ {
			least = i
		}
	}
	if a.gone[least].EnergyNJ < t.EnergyNJ {
		a.gone[least] = t
	}
}

// interval returns the share of a method and its 95 % interval.
func (a *Account) interval(i int, parts []energy.Part, of []*part) (share, low, high float64) {
	for k, p := range of {
		parts[k].Own = float64(p.own[i])
	}
	low, high = energy.Interval(parts)
	if a.sampled > 0 {
		share = float64(a.methods[i].energy) / float64(a.sampled)
	}
	return share, low, high
}
