// Package sampled gives each thread's time the share of the function that a sample found it in.
//
// On a machine without counters nothing says which part of a thread's time waits for memory. A
// table, recorded on a machine with counters, has that part for functions (package sensitivity). A
// Log takes samples of the form "this thread was in this function" and extends the rows of epochs
// by the time that does not scale, as if a counter had counted it. A thread is taken to stay where
// its last sample found it, for 50 ms at most. Everything else scales, which never costs more than
// the budget.
//
// A table can be wrong: another input, another memory. Nothing counts instructions, so a Log
// compares work of another kind: visits. A visit is the time from a thread's entry into a function
// to its entry into another one, and predicted to the highest frequency it should be as long at any
// clock. Where visits at low clocks are predicted to be longer than those at high ones, the table's
// shares are too high, and the Log drops it. So that there is something to compare, the run begins
// with some visits at the highest frequency.
//
// The package is pure: the same samples and epochs give the same.
package sampled
