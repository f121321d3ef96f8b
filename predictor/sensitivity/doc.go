// Package sensitivity learns which share of each function's time does not scale with the clock,
// keeps it in a file, and uses it where nothing counts. The file is recorded on a machine with
// counters (Recorder), and read on one without (Index, Log).
//
// A function is known by its file's build id and its place in the file, so that a table of another
// build says nothing, and names are not needed. A method of Java has no such place: it is known by
// class, name and signature, and another build of its class goes by the same. A file from anybody
// is checked whole before it is used.
//
// # Without counters
//
// On a machine without counters nothing else says which part of a thread's time waits for memory. A
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
package sensitivity
