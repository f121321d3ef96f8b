// Package energy is the ledger of where a machine's energy went. It is pure: readings, slices and
// stack samples in, amounts out.
//
// # What is split
//
// Time is cut into windows, from one reading of the energy meters to the next. In a window each
// zone (a package, its memory) used a measured amount. A window also knows, exactly, which thread
// ran on which CPU for how long (slices from the scheduler), at which frequency, with or without
// company on the core's other hardware thread, how long other programs ran there, and by samples
// what the threads' stacks were.
//
// A Rule divides a zone's energy of a window:
//
//	ledger    ebb's own. What the zone uses when it idles goes to "idle". The rest is divided over all that ran, each
//	          nanosecond weighted by the power of its frequency and by the core's other hardware thread.
//	cpu-time  over all that ran, by time alone; nothing is idle unless nothing ran (the usual tool's rule; the
//	          published artifact of Chappie comes to the same with exact times)
//	equal     in equal parts over the threads that ran at all (Chappie, Algorithm 1)
//	jalen     e-Surgeon, equations 7 to 9: a thread gets its CPU time's share of the window times the whole energy, as if
//	          there were one CPU. It does not add up: what is missing is left unattributed, what is too much is cut.
//	oblivious all of it to each thread that ran (Chappie, Table 2): no rule to divide by, but the one to compare with. What
//	          is attributed more than once is below zero in what is unattributed.
//
// What a thread gets is divided over the stacks sampled in it: each sample stands for a period of
// its CPU time, at the power of its window. What is used after a window's last sample waits for the
// thread's next one, and at its end is divided over all.
//
// # What holds
//
// Amounts are integers (nJ). For every zone, after every window and for every rule,
//
//	attributed + others + idle + unattributed = measured
//
// # How sure it is
//
// Which thread ran is exact; which of its stacks, is sampled. Interval gives a share's 95 %
// interval from the samples of each thread: Wilson's, with the number of samples of equal weight
// that would have the same variance.
package energy
