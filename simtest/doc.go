// Package simtest is a simulated machine: cores, caches, memory, a scheduler, a program with many
// threads, a managed runtime, a clock that can be changed, and the energy of it all, in virtual
// time. It stands in for hardware where there is none, and it knows what no hardware tells: the
// truth.
//
//	m, err := simtest.New(profile, workload, simtest.Options{Seed: 1, Counters: []string{"crit_dram", "sq_full"}})
//	for { n, err := m.Next(events); ...; m.Request(2_000_000_000) }
//	truth := m.Truth()
//
// Package simtest/rig makes a governor.Machine of it, so that the governor's core runs on it
// unchanged. It shares no formula with the predictor or the policies and must not import them: what
// they assume has to be able to be wrong here.
//
// # How it runs
//
// Between two events all rates are constant, so the machine jumps from one to the next: the end of
// a stretch of code, a store queue that is full, a time slice, a wake, a timer, a change of the
// clock. A stretch of millions of instructions costs as much as one of ten. At each event the rates
// of the cores it concerns are reckoned anew, and those of all that share memory with them. Time is
// an integer number of ps; what a thread ran, waited and slept, and how long the machine was at
// each frequency, are differences of instants in whole ns and add up exactly.
//
// Threads are coroutines (iter.Pull): plain Go functions that call Run, Lock, Wait, Sleep, Alloc,
// and come back when that is done. Everything is drawn from seeded generators, those of the work
// apart from those of the timing: the same seed gives the same run, and whatever the frequency,
// each thread does the same work. What depends on frequency is when, on which core, who waits for
// whom, and, where misses depend on how many cores are busy (Mix.Pressure), how many lines come
// from memory.
//
// # A core
//
// A Mix says how many core cycles an instruction takes when its data are in the core's own caches,
// and how many misses there are. With f the clock, c = 1/f a cycle and n instructions, a stretch
// takes
//
//	T = n CPI c + sum over groups of E[max(0, d L - X)] + fetches E[max(0, L - Y)]
//
// Misses come in groups of p (Mix.Parallel) that are in flight together. A share s of a group's
// later misses needs the one before (Mix.Dependent), so a group lasts d = 1 + s (p - 1) latencies.
// While it lasts, the core goes on with other instructions until the reorder buffer is full or all
// that is left needs the data: X, evenly distributed between 0 and twice Mix.Ahead instructions, at
// most the reorder buffer. They take core cycles: X hides more of a latency when the clock is slow,
// all of it at times. So
//
//	E[max(0, L - X)] = L - x        if L >= 2 x, x the mean of X
//	                 = L^2 / (4 x)  otherwise
//
// A latency L is the look-up in the core's caches, in core cycles, and what lies beyond: the shared
// cache (fixed ns), memory (fixed ns and a queue), or another core's cache (partly ns, partly that
// core's cycles). Instruction fetches that miss starve the core after some instructions already
// decoded (Y).
//
// # Memory
//
// All lines that cores read and write share one path that takes S per line. At a load r (lines per
// ns) the wait is S rho / (1 - rho) with rho = r S, the mean wait where arrivals and service times
// are both random; rows hit and missed, refresh and bursts of misses make them so. The wait makes
// the cores slower, and slower cores ask for less: the solution is found at every change. That
// makes the time that does not scale with the clock depend on the clock, and each thread's on all
// others'. Memory never gives more than its bandwidth.
//
// # Stores
//
// Stores go through a queue of 32 as a fluid: they come as fast as the core retires them and leave
// one per cycle, or, for lines that have to come from memory, at the latency over the number that
// can be in flight. The level is a state. Before the queue is full a burst costs nothing,
// afterwards the core goes at the pace of the drain: max(compute, drain), neither of which is what
// a counter of "queue full" says. Memory sees stores as they leave the queue. Locked operations
// wait for the queue to be empty; a switch of threads empties it.
//
// # Threads
//
// A mutex is taken without the kernel when it is free, its line coming from the core that had it
// last. Who finds it taken spins for a while (an instruction stream that is no work) and then
// sleeps; who leaves it hands it to a thread that spins, or wakes the one that slept longest, which
// has to compete when it is back. Order and number of waits so depend on everybody's speed.
// Conditions, barriers, semaphores and joins are on the same futex. Going to sleep, waking and
// switching cost core cycles in the kernel, a wake also a fixed time until an idle core is there.
// With more threads than cores they take turns of 3 ms; a thread that changes its core refills
// caches.
//
// A Heap is allocated by zeroing, a burst of stores. When its nursery is full, the thread that
// filled it asks the world to stop: the application's threads run on to their next safepoint and
// sleep; then the collector's threads share the survivors, trace (dependent misses) and copy them
// (bursts), and let the world go on.
//
// # What a tracer sees
//
// Records are those of ebb's own tracer: slices closed at each switch, after a millisecond and at a
// quantum's end, a tick that promises delivery; in windows, with a hold-off. With Options.Exact
// slices are also cut wherever an epoch ends, which tells what it costs to split counters by time.
// CounterNames lists what can be counted: what a cycle-level simulator can (CRIT, leading loads,
// stall and store-queue time, with and without the look-up, in ns) and what processors can (stall
// and occupancy in cycles). They are consequences of the same groups and latencies: CRIT adds the
// latencies of a group's chain, whether they were hidden or not, leading loads only its first one,
// stall time what was not hidden, occupancy all time with a load in flight. None of them is what
// would be saved by an infinitely fast core.
//
// # What is not modelled
//
// Bandwidth of the shared cache and the interconnect, prefetchers, hardware threads,
// instruction-level detail (the CPI is an average), pages and TLBs, NUMA, a shared cache whose
// contents are remembered, priorities, other programs, the cost of being traced, and frequencies by
// core: the clock is one for all. Misses are spread evenly over a stretch. Memory's queue has no
// memory of its own: it follows the load at once.
//
// # Where the numbers come from
//
// All constants of a machine are in its Profile, with their sources at each profile. Table 2 of
// DEP+BURST (Akram, Sartor, Eeckhout) gives cores, caches, reorder buffer, store queue, memory's
// latency and bandwidth, voltages, and the 2 us of a transition. The programs' characters are in
// package simtest/workload.
package simtest
