package simtest

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Thread is a thread of the program. Its methods are for its own body, while it runs.
type Thread struct {
	id   epochs.TID
	name string
	role Role
	m    *Computer
	rng  *rand.Rand
	body coroutine

	state    threadState
	since    units.Instant // of the state
	core     *core         // where it runs, or ran last
	wokenAt  units.Instant
	wokenBy  epochs.TID
	cause    epochs.Cause // why it will come to a core
	sleeping epochs.Cause // how it is to sleep, set before it blocks
	blocks   bool         // it is to leave its core
	joiners  []*Thread
	truth    ThreadTruth
	spun     float64 // ns of the spin in progress

	seg     segment
	rest    segment // what is left of a segment that a safepoint cut
	stops   bool    // after seg it stops for a collection
	stretch stretch
	debt    segment // cycles, ns and drain that the next segment begins with
	worked  float64 // instructions of work, but for the segment in progress
	// instructions of the kernel's paths and of spinning, and of unfinished segments
	other float64
}

type threadState uint8

const (
	asleep threadState = iota
	waking             // woken, but not on a core or its queue yet
	ready
	running
	ended
)

// ID is the thread's id.
func (t *Thread) ID() epochs.TID { return t.id }

// Name is the thread's name.
func (t *Thread) Name() string { return t.name }

// Rand is for the choices of the thread's work. It is seeded by the machine's seed and the thread's
// place among the program's first ones, or by its creator's.
func (t *Thread) Rand() *rand.Rand { return t.rng }

// Run retires instructions of the given character.
func (t *Thread) Run(mix *Mix, instructions int64) {
	t.checkWorld()
	if instructions <= 0 {
		return
	}
	if mix.CPI <= 0 {
		panic("simtest: a mix " + mix.Name + " whose instructions take no time")
	}
	scale := 1.0
	if mix.Spread > 0 {
		scale = 1 + math.Sqrt(3)*mix.Spread*(2*t.rng.Float64()-1)
		scale = max(scale, 0)
	}
	t.begin(segment{mix: mix, n: float64(instructions), scale: scale, left: 1, kind: workSegment})
	t.body.leave()
}

// begin makes s the thread's segment, with what it owes.
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

// kernelMix has the parts of a kernel's path that are no core cycles: none.
var kernelMix = Mix{Name: "kernel", CPI: 1}

// block leaves the core until another thread or a timer wakes t.
func (t *Thread) block(how epochs.Cause) {
	t.sleeping, t.blocks = how, true
	t.body.leave()
}

// owe adds to what the next segment begins with.
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

// spawnCycles is what making a thread costs the one that makes it: some 10 us at 1.5 GHz.
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
