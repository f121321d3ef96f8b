// Package stream is the energy of a run while it goes on: an account of threads and methods that is
// added to window by window, the line of JSON that it makes of that once an interval, and how a
// reader shows such lines.
//
// Everything in a line is a sum since the run's begin, but for the watts, which are of the time
// since the line before. Threads and processes are exact, as in a report. Methods are sampled, and
// have the intervals that a report made at that moment would have, with all threads that ended
// taken for one.
//
// A Trace writes what a ledger divides as tables of CSV, a line for each window and CPU, thread or
// sample, for programs that draw or compute. It knows no file: it writes to what it is given, and
// no more than a bound.
package stream
