package simtest

import (
	"math/rand/v2"
	"time"

	"github.com/ebb-energy/ebb/simtest/hardware"
)

// Workload is a program for the simulated machine. The same workload with the same seed does the
// same work whatever the frequencies: every thread retires the same instructions and allocates the
// same bytes.
type Workload struct {
	Name    string
	Threads int // application threads; Builder.Threads tells them to Build
	Build   func(b *Builder)
}

// Role says what a thread is for. The program ends when its application threads have; threads of
// other roles serve them and are ended with it.
type Role uint8

const (
	// App threads do the program's own work. Only they are stopped by a collection.
	App Role = iota
	// Collector threads collect a managed heap.
	Collector
	// Compiler threads compile while the program runs.
	Compiler
	// VM threads do what else a language's runtime does.
	VM
)

// String is the role's name.
func (r Role) String() string { return [...]string{"app", "collector", "compiler", "vm"}[r] }

// Builder sets a program up: its threads and what they share.
type Builder struct {
	m       *Computer
	rng     *rand.Rand
	threads int
	heaps   []*Heap
}

// Rand is for choices at set-up.
func (b *Builder) Rand() *rand.Rand { return b.rng }

// Threads is how many application threads the workload is to have.
func (b *Builder) Threads() int { return b.threads }

// Profile is the machine that the program will run on.
func (b *Builder) Profile() *hardware.Profile { return &b.m.profile }

// Thread adds a thread that runs from the program's start. The body is called in virtual time: it
// goes on when the thread has a core and the instructions, locks and sleeps before have been done.
// Bodies share memory as they like, as only one of them runs at any instant; but what they do must
// not depend on who comes first if work is to be the same at every frequency.
func (b *Builder) Thread(name string, role Role, body func(t *Thread)) *Thread {
	return b.m.addThread(name, role, body, nil)
}

// Mutex makes a lock. A thread that finds it taken spins for up to spin core cycles before it
// sleeps.
func (b *Builder) Mutex(spin int64) *Mutex { return &Mutex{spin: float64(spin)} }

// Cond makes a condition variable.
func (b *Builder) Cond() *Cond { return &Cond{} }

// Barrier makes a barrier for n threads. A thread that waits sleeps.
func (b *Builder) Barrier(n int) *Barrier { return &Barrier{n: n} }

// Semaphore makes a semaphore that counts from n.
func (b *Builder) Semaphore(n int) *Semaphore { return &Semaphore{m: b.m, count: n} }

// Port makes a semaphore that a device posts (see Later and Semaphore.Post): who waits there sleeps
// for input, not in a futex.
func (b *Builder) Port() *Semaphore { return &Semaphore{m: b.m, device: true} }

// Heap makes a managed heap. Its collector threads come after the program's own.
func (b *Builder) Heap(c HeapConfig) *Heap { return newHeap(b, c) }

// Later runs on when the program has run for d: a way to let the world change by time and not by
// work, such as requests that arrive. It runs on no thread: of a Thread's methods none may be
// called, but Semaphore.Post may.
func (b *Builder) Later(d time.Duration, on func()) {
	b.m.timers.add(b.m.now+toPS(d), timer{kind: timerCall, call: on})
}
