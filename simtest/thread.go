package simtest

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Thread is a thread of the program. Only its own body may call its methods.
type Thread struct {
	id   epochs.TID
	name string
	role Role
	m    *Computer
	rng  *rand.Rand
	body coroutine

	// Scheduling.
	state    threadState
	since    units.Instant // begin of state
	core     *core         // core on which the thread runs, or ran last; nil before its first run
	pinned   *core         // the only core that it may run on; nil for any
	weight   float64       // weight of its time slice; 0 for 1
	wokenAt  units.Instant // time of the latest wake
	wokenBy  epochs.TID    // waker of the latest wake
	cause    epochs.Cause  // cause of its next arrival on a core
	sleeping epochs.Cause  // kind of its sleep; valid while blocks is set
	blocks   bool          // the body has asked to leave the core
	joiners  []*Thread     // threads that wait for its end
	truth    ThreadTruth   // its times lack the state in progress

	// Work in progress.
	seg     segment
	stretch stretch // parts of seg at the present frequency
	rest    segment // rest of a segment that a safepoint cut; valid while stops is set
	stops   bool    // the thread stops for a collection when seg is done
	debt    segment // overhead with which the next segment begins
	spun    float64 // ns of the spin in progress

	// Instructions, without those of seg.
	worked float64 // instructions of work
	other  float64 // instructions of the kernel's paths and of spinning
}

type threadState uint8

const (
	asleep threadState = iota
	waking             // woken, but not on a core or its queue yet
	ready
	running
	ended
)

// Name returns the thread's name.
func (t *Thread) Name() string { return t.name }

// Rand draws the choices of the thread's work. The run's seed and the thread's place among the
// program's first threads, or its creator's generator, determine it.
func (t *Thread) Rand() *rand.Rand { return t.rng }

// Run retires instructions of the given character.
func (t *Thread) Run(mix *Mix, instructions int64) {
	t.checkWorld()
	if instructions <= 0 {
		return
	}
	if mix.CPI <= 0 {
		panic("simtest: the instructions of mix " + mix.Name + " take no time")
	}
	scale := 1.0
	if mix.Spread > 0 {
		scale = 1 + math.Sqrt(3)*mix.Spread*(2*t.rng.Float64()-1)
		scale = max(scale, 0)
	}
	t.begin(segment{mix: mix, n: float64(instructions), scale: scale, left: 1, kind: workSegment})
	t.body.leave()
}

// begin makes s the thread's segment and adds the thread's debt to it.
func (t *Thread) begin(s segment) {
	s.cycles += t.debt.cycles
	s.ns += t.debt.ns
	s.drain += t.debt.drain
	t.debt = segment{}
	t.seg = s
	if t.core != nil {
		t.core.stale = true
	}
	t.m.stale = true
}

// kernel runs cycles of the kernel's code.
func (t *Thread) kernel(cycles float64) {
	t.begin(segment{mix: &kernelMix, cycles: cycles, left: 1, kind: kernelSegment})
	t.body.leave()
}

// kernelMix is the mix of the kernel's paths: they take core cycles only.
var kernelMix = Mix{Name: "kernel", CPI: 1}

// block takes t off its core until another thread or a timer wakes it.
func (t *Thread) block(how epochs.Cause) {
	t.sleeping, t.blocks = how, true
	t.body.leave()
}

// owe adds overhead to the next segment.
func (t *Thread) owe(cycles, ns float64) {
	t.debt.cycles += cycles
	t.debt.ns += ns
}

// Sleep waits for a timer or a device.
func (t *Thread) Sleep(d time.Duration) {
	t.kernel(t.m.profile.FutexCycles)
	t.m.timers.add(t.m.now+toPS(max(d, 0)), timer{kind: timerSleep, thread: t})
	t.block(epochs.OtherSleep)
}

// Spawn starts a thread. It begins to run on the first core that is free.
func (t *Thread) Spawn(name string, role Role, body func(t *Thread)) *Thread {
	t.owe(spawnCycles, 0)
	return t.m.addThread(name, role, body, t)
}

// spawnCycles is the cost of Spawn for the creator: some 10 us at 1.5 GHz.
const spawnCycles = 15000

// Join waits until other has ended.
func (t *Thread) Join(other *Thread) {
	if other.state == ended {
		return
	}
	t.kernel(t.m.profile.FutexCycles)
	if other.state == ended {
		return
	}
	other.joiners = append(other.joiners, t)
	t.block(epochs.FutexSleep)
}
