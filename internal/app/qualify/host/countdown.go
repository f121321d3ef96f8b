package host

// instructions is the number of instructions of a unit of Compute's work.
const instructions = 2

// countdown counts from n, which is above 0, down to 0, by two instructions for each step.
func countdown(n uint64)
