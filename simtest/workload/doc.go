// Package workload has programs for the simulated machine.
//
// A program is made of threads, stretches of code of a stated character (simtest.Mix), locks, conditions, barriers, timers
// and a managed heap. It does the same work at every frequency: what is to be done is settled when it is set up, from the
// seed, or drawn by a thread for itself; only who does it and when is left to the run. Runs with different seeds differ
// as runs of one program do.
//
// # The paper's seven
//
// Paper are stand-ins for the seven Java programs of DEP+BURST's Table 1. They are not those programs: no byte of Java is
// simulated. What is kept of each is said at its function; in common they have a runtime as the paper's: a bump-pointer
// heap whose blocks are zeroed when a thread takes them, a nursery that is collected with the world stopped by two
// collector threads (one for a program of one thread) that trace and copy what survives, and a thread that compiles at
// the start.
//
// Matched to Table 1, by the size of the work and the share of the nursery that survives: execution time and collection
// time at 1 GHz, hence the class. Taken from what is known of the programs and not in the paper: bytes allocated, in
// order of magnitude and in their order among the seven; queues, locks and conditions. Chosen so as to be plausible: how
// much of the time waits for memory. The paper does not tell execution times at 4 GHz. The characters of the
// stretches are near those of programs on a cycle-level simulator of the same machine (pointer-chasing work items with 9
// misses to memory in 1000 instructions take 1.55 times as long at 1 GHz as at 4, zeroing and searching 1.74 times,
// ray tracing in the caches 3.5 times), and the shares of the memory-intensive ones are such that the paper's savings
// are possible at all.
//
// Not matched: numbers of epochs and of collections, which the paper does not give (only that avrora has by far the most
// epochs); live heaps, beyond the nursery; the order of magnitude of code and of what the compiler does; anything that
// depends on addresses, such as false sharing and row conflicts.
//
// TestCalibration measures all of it and fails where Table 1 is missed; run it with -v to see the table.
package workload
