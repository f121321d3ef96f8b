package epochs

// Running is how many threads run, as far as is known.
func (a *Assembler) Running() int { return len(a.threads.tids) }
