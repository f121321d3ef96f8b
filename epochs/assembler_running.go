package epochs

// Running returns the number of threads known to run.
func (a *Assembler) Running() int { return len(a.threads.tids) }
