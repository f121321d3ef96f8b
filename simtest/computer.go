package simtest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// Computer is one run of a program on a simulated computer. It is for one goroutine.
type Computer struct {
	profile hardware.Profile
	options Options
	counted []quantity // quantities of the run's counters, in the order of Options.Counters

	now       ps
	cycleNs   float64 // ns of a cycle at the present frequency
	reference float64 // GHz of the nominal clock
	cores     []*core
	threads   []*Thread
	others    []*Thread // threads of other programs
	quota     quota
	apps      int // number of application threads that have not ended; the program ends at 0
	active    int // number of cores with a thread
	memory    memory
	movers    []*core // cores whose segment moves lines from or to memory
	stale     bool    // rates must be computed anew before time advances
	stuck     int     // number of steps since time advanced
	timers    timers
	stopping  *Heap // the heap whose collection stops the world, or has stopped it; nil for none

	clock    clock
	meter    hardware.Meter
	rapl     *hardware.Counters
	interval hardware.Interval // latest interval, kept for its Cores
	folded   hardware.Interval // interval by core, where two hardware threads share a core
	// kinds holds the extra cost of instructions of the mixes seen so far; nil where all cost the
	// same.
	kinds    map[*Mix]float64
	records  records
	overhead time.Duration // time that ebb held up the program; see Overhead
	tally    tally
	schedule schedule

	timing *rand.Rand // draws the timing, so that the work does not depend on it
	faulty *rand.Rand // draws faults

	out    outbox
	ended  bool
	failed error // error that ended the run early
}

// Seeds of the generators, beside the run's own.
const (
	timingSeed  = 0x74696d65
	faultSeed   = 0x6661756c
	builderSeed = 0x6275696c
	heapSeed    = 0x68656170
)

// New makes a computer with a program about to start.
func New(p hardware.Profile, w Workload, o Options) (*Computer, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := o.complete(&p); err != nil {
		return nil, fmt.Errorf("simulated machine %s: %w", p.Name, err)
	}
	m := &Computer{profile: p, options: o}
	var err error
	if m.counted, err = countersByName(o.Counters); err != nil {
		return nil, err
	}
	m.timing = rand.New(rand.NewPCG(o.Seed, timingSeed))
	m.faulty = rand.New(rand.NewPCG(o.Seed, faultSeed))
	m.reference = float64(p.Highest()) / 1e9
	for i := range p.Cores {
		c := &core{id: i, online: true, end: never}
		c.store.empty()
		m.cores = append(m.cores, c)
	}
	m.interval.Cores = make([]hardware.Activity, p.Cores)
	m.folded.Cores = make([]hardware.Activity, p.Physical())
	m.tally.init(m)
	m.rapl = hardware.NewCounters(m.profile.RAPL, o.Faults.RAPL, o.Seed)
	if p.Power.Kinds > 0 {
		m.kinds = map[*Mix]float64{}
	}
	m.meter = hardware.NewMeter(&m.profile.Power, p.Physical(), m.rapl.Update)
	m.begin(w)
	return m, nil
}

// begin builds the program and starts it.
func (m *Computer) begin(w Workload) {
	m.clock.init(m, m.options.Initial)
	m.emit(Event{Kind: Begin, At: m.instant(), Frequency: m.clock.f})
	m.records.init(m)
	b := &Builder{m: m, rng: rand.New(rand.NewPCG(m.options.Seed, builderSeed)), threads: w.Threads}
	w.Build(b)
	for _, h := range b.heaps {
		h.threads(b)
	}
	for i, o := range m.options.Others {
		m.addOther(o, i)
	}
	m.quota.init(m)
	if d, ok := m.options.Faults.Next(-1); ok {
		m.timers.add(toPS(max(d, 0)), timer{kind: timerFault})
	}
}

// firstThread is the id of a program's first thread; the others follow.
const firstThread = 1000

// addThread makes a thread. Its creator is by, or nil for the program's first threads.
func (m *Computer) addThread(name string, role Role, body func(*Thread), by *Thread) *Thread {
	id := epochs.TID(firstThread + len(m.threads))
	now := m.instant()
	t := &Thread{id: id, name: name, role: role, m: m, state: waking, since: now, wokenAt: now,
		wokenBy: epochs.NoThread, cause: epochs.Started}
	if by != nil {
		// The creator's generator: it does not depend on which other threads exist by then.
		t.rng = rand.New(rand.NewPCG(by.rng.Uint64(), 0))
	} else {
		t.rng = rand.New(rand.NewPCG(m.options.Seed, uint64(id)))
	}
	t.truth = ThreadTruth{ID: id, Name: name, Role: role, Start: now}
	newCoroutine(t, body)
	if role == App {
		m.apps++
	}
	creator := epochs.NoThread
	latency := ps(0)
	if by != nil {
		creator, latency = by.id, toPS(m.profile.WakeLatency)
	} else if len(m.threads) > 0 {
		creator = m.threads[0].id
	}
	m.threads = append(m.threads, t)
	if creator != epochs.NoThread {
		m.recordFork(t, creator)
	}
	m.timers.add(m.now+latency, timer{kind: timerWake, thread: t})
	return t
}

// Now returns the present time.
func (m *Computer) Now() units.Instant { return m.instant() }

func (m *Computer) instant() units.Instant { return m.now.instant() }

// Profile returns the computer's hardware.
func (m *Computer) Profile() *hardware.Profile { return &m.profile }

// Close ends a run before its end. A run that was read to its end needs no Close.
func (m *Computer) Close() {
	m.ended = true
	for _, t := range m.threads {
		t.body.stop()
	}
	for _, t := range m.others {
		t.body.stop()
	}
}
