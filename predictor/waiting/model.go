package waiting

// Model predicts how long work would have taken, from how its threads wait for each other. A Model
// sees every epoch once, when it is added to the work, and may prepare then what does not depend on
// the frequency. Frequencies are in Hz; a is the place of the non-scaling time in its bracket, 0 to
// 1; times are in the epochs' time unit.
type Model interface {
	// Reset forgets all epochs.
	Reset()
	// Add is called after epoch e was appended to w.
	Add(w *Work, e int)
	// Mark begins a phase of the program with the next epoch. A model without phases ignores it.
	Mark(w *Work)
	// Duration predicts the time of all of w at f.
	Duration(w *Work, f, a float64) float64
	// RunTime predicts the running time of all threads together at f, without what they wait for
	// each other.
	RunTime(w *Work, f, a float64) float64
}

// Continuing is a Model whose threads keep their leads from one work to the next.
type Continuing interface {
	Model
	// Advance predicts by how much w moves the program on at f, threads beginning with the lead
	// that they had when Advance was last asked. A nanosecond that a thread waits for memory takes
	// longer by queued.
	Advance(w *Work, f, a, queued float64) float64
}
