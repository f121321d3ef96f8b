// Package energy says where a machine's energy went: to threads and methods, in a ledger, and to
// single invocations of functions. It is pure: readings, slices and stack samples in, amounts out.
//
// # Division
//
// Time is cut into windows, from one reading of the energy meters to the next. In a window each
// zone (a package, its memory) used a measured amount. A window also has the exact time of each
// thread on each CPU (slices from the scheduler), the frequency, whether the core's other hardware
// thread was busy, the time of other programs, and samples of the threads' stacks.
//
// A Rule divides a zone's energy of a window:
//
//	ledger    ebb's own. The idle draw of the zone goes to "idle". The rest is divided over all
//	          that ran: each nanosecond is weighted by the power of its frequency and by the
//	          core's other hardware thread.
//	cpu-time  over all that ran, by time alone; nothing is idle unless nothing ran (the usual
//	          tool's rule)
//	equal     in equal parts over the threads that ran at the window's one probe (Chappie,
//	          Algorithm 1)
//	jalen     e-Surgeon, equation 7: a thread gets the whole energy times the share of the
//	          window that it was on a CPU, as if there were one CPU. This does not add up: a
//	          remainder stays unattributed, and an excess is cut.
//	oblivious the whole energy to each thread that ran at the probe (Chappie, Table 2): for
//	          comparison only. Unattributed energy is negative by the energy attributed more than
//	          once.
//	chappie   equal, and each thread's part over its stacks by when they were seen (Chappie's
//	          joining)
//	chappie-artifact
//	          what Chappie's published programs do: the application's share of the busy time, in
//	          equal parts over its threads on the zone's CPUs; the rest to others
//	jalen2012 e-Surgeon, equations 7 to 9 as printed: nothing is cut, and each of a thread's
//	          methods gets the thread's energy. Unattributed energy is negative where that is too
//	          much.
//
// A thread's energy is divided over its sampled stacks: each sample represents one period of its
// CPU time, at the power of its window. Energy used after a window's last sample is held for the
// thread's next one; when the thread ends it is divided over all its stacks.
//
// # Invariant
//
// Amounts are integers (nJ). For every zone, after every window and for every rule,
//
//	attributed + others + idle + unattributed = measured
//
// # Confidence
//
// The thread that ran is exact; its stack is sampled. Interval gives a share's 95 % interval from
// the samples of each thread: Wilson's, with the number of samples of equal weight that would have
// the same variance.
//
// # Single invocations
//
// A single invocation has a part of its thread's energy (ThreadLine); Invocations adds these up by
// function. These figures are inclusive: an invocation has what the functions have that it called
// in its thread. So they overlap, and no ledger has them.
package energy
