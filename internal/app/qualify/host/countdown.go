//go:build amd64 || arm64

package host

// instructions is what a unit of Compute's work executes; 0 where it is not known.
const instructions = 2

// countdown counts from n, which is above 0, down to 0, by two instructions for each step.
func countdown(n uint64)
