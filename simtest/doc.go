// Package simtest simulates a computer in virtual time: cores, caches, memory, a scheduler, a
// program with many threads, a managed runtime, a clock that can be changed, and the energy that
// each of these draws. It stands in for hardware where there is none, and it knows the truth, which
// no hardware reports.
//
//	c, err := simtest.New(profile, workload, simtest.Options{Seed: 1,
//		Counters: []string{"crit_dram", "sq_full"}})
//	for { n, err := c.Next(events); ...; c.Request(2_000_000_000) }
//	truth := c.Truth()
//
// # Packages
//
//	simtest/hardware  machines: their physics, faults, energy counters, and each number's source
//	simtest           the engine: one run of a program on a machine
//	simtest/workload  programs
//	simtest/oracle    the best that could be had
//	simtest/baseline  what kernels' governors do
//	simtest/simhost   the computer as a governor.Machine
//	simtest/campaign  the governor on thousands of random computers, held against invariants
//
// Nothing up to simtest shares a formula with the predictor or the policies, and it must not import
// them: their assumptions must be able to be wrong here.
//
// # How it runs
//
// All rates are constant between two events, so the computer jumps from one event to the next: the
// end of a stretch of code, a full store queue, a time slice, a wake, a timer, a change of the
// clock. A stretch of millions of instructions costs as much as one of ten. Each event recomputes
// the rates of the cores that it concerns, and those of all cores that share memory with them. Time
// is an integer number of ps. The times for which a thread ran, waited and slept, and those for
// which the computer ran at each frequency, are differences of instants in whole ns and add up
// exactly.
//
// Threads are coroutines (iter.Pull): plain Go functions that call Run, Lock, Wait, Sleep or Alloc,
// which return once that is done. All random choices come from seeded generators, and those of the
// work are separate from those of the timing: the same seed gives the same run, and each thread
// does the same work at every frequency. The frequency decides when threads run, on which core, and
// which thread waits for which. Where misses depend on how many cores are busy (Mix.Pressure), it
// also decides how many lines come from memory.
//
// # A core
//
// A Mix says how many core cycles an instruction takes if its data are in the core's own caches,
// and how many misses there are. With f the clock, c = 1/f a cycle and n instructions, a stretch
// takes
//
//	T = n CPI c + sum over groups of E[max(0, d L - X)] + fetches E[max(0, L - Y)]
//
// Misses come in groups of p (Mix.Parallel) that are in flight together. A share s of a group's
// later misses needs the one before (Mix.Dependent), so a group lasts d = 1 + s (p - 1) latencies.
// Meanwhile the core goes on with other instructions until the reorder buffer is full or everything
// left needs the data: X, evenly distributed between 0 and twice Mix.Ahead instructions, at most
// the reorder buffer. These instructions take core cycles, so X hides more of a latency when the
// clock is slow, and sometimes the whole latency:
//
//	E[max(0, L - X)] = L - x        if L >= 2 x, x the mean of X
//	                 = L^2 / (4 x)  otherwise
//
// A latency L is the lookup in the core's caches, in core cycles, and the part beyond: the shared
// cache (fixed ns), memory (fixed ns and a queue), or another core's cache (partly ns, partly that
// core's cycles). Instruction fetches that miss starve the core once the instructions that are
// already decoded (Y) are used up.
//
// # Memory
//
// All lines that cores read and write share one path, which takes S per line. At a load r (lines
// per ns) the wait is S rho / (1 - rho) with rho = r S, the mean wait if arrivals and service times
// are both random. Row hits and misses, refresh and bursts make them random. The wait slows the
// cores, and slower cores ask for less; every change solves for the equilibrium. The time that does
// not scale with the clock therefore depends on the clock, and each thread's on the other threads'.
// Memory never exceeds its bandwidth.
//
// # Stores
//
// Stores pass through the store queue as a fluid. They arrive as fast as the core retires them and
// leave one per cycle, or, for lines that have to come from memory, at the latency over the number
// in flight. The level is a state. A burst costs nothing until the queue is full; then the core
// runs at the pace of the drain: max(compute, drain). A counter of "queue full" shows neither.
// Memory sees stores as they leave the queue. Locked operations wait until the queue is empty; a
// switch of threads empties it.
//
// # Hardware threads
//
// On a machine with SMT two hardware threads share a core. While both run, core cycles take longer
// by one factor and more loads miss by another (hardware.SMT), each thread has half of the reorder
// buffer and of the store queue, and the core's clock and leakage are drawn once. The speed of a
// thread changes at the instant at which its sibling comes or goes. A sibling that waits for memory
// slows the other as much as one that computes.
//
// # Threads
//
// A free mutex is taken without the kernel; its line comes from the core that had it last. A thread
// that finds it taken spins for a while (instructions that are no work) and then sleeps. A thread
// that leaves it hands it to one that spins, or wakes the one that has slept longest, which must
// compete once it is back. Order and number of waits so depend on every thread's speed. Conditions,
// barriers, semaphores and joins use the same futex. Going to sleep, waking and switching cost core
// cycles in the kernel; a wake also takes a fixed time until an idle core responds. If there are
// more threads than cores, they take turns of the profile's time slice. Other programs' threads
// (Options.Others) take turns with them, and a quota (Options.Quota) keeps them off the cores. A
// thread that changes its core refills caches.
//
// Allocation from a Heap writes zeros, a burst of stores. The thread that fills the nursery stops
// the world: the application's threads run on to their next safepoint and sleep. The collector's
// threads then share the survivors, trace them (dependent misses) and copy them (bursts), and let
// the world go on.
//
// # What a tracer sees
//
// Records are those of ebb's own tracer: slices, closed at each switch, after a millisecond and at
// a quantum's end; and a tick, which promises that all records before it were delivered. With a
// hold-off they come in windows. With Options.Exact the end of each epoch also cuts slices, which
// shows the cost of splitting counters by time. CounterNames lists the counters: those of a
// cycle-level simulator (CRIT, leading loads, stall and store-queue time, with and without the
// lookup, in ns) and those of processors (stall and occupancy in cycles). All follow from the same
// groups and latencies. CRIT adds the latencies of a group's chain, hidden or not; leading loads
// only the first one; stall time the part that was not hidden; occupancy all time with a load in
// flight. None of them is the time that an infinitely fast core would save.
//
// # What is not modelled
//
// Bandwidth of the shared cache and the interconnect, prefetchers, instruction-level detail (the
// CPI is an average), pages and TLBs, NUMA, the contents of the shared cache, priorities within the
// program, the cost of being traced, and a frequency per core: all cores share one clock. Misses
// are spread evenly over a stretch. Memory's queue has no memory of its own: it follows the load at
// once.
//
// # Where the numbers come from
//
// All constants of a machine are in its Profile, with their sources (package simtest/hardware).
// Table 2 of DEP+BURST (Akram, Sartor, Eeckhout) gives cores, caches, reorder buffer, store queue,
// memory's latency and bandwidth, voltages, and the 2 us of a transition. The programs' characters
// are in package simtest/workload.
package simtest
