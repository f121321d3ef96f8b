package sensitivity

import "math"

// Registers is the number of registers whose advance a sample holds.
const Registers = 16

// Advance holds the difference of each of a thread's registers to the sample before, which found
// the thread in the same function. Its unit is 512ths of the difference's logarithm, plus one, so
// that 0 stands for no known difference. It is below zero where the register fell. A loop keeps its
// number or its place in a register (an induction variable): that is a measure of work.
type Advance [Registers]int16

// advanceUnits is the number of units in a factor of e: steps of 0.2 %.
const advanceUnits = 512

// Advanced returns the value in an Advance for a register that went from one value to another.
func Advanced(from, to uint64) int16 {
	d := int64(to - from) // a register wraps
	if d == 0 {
		return 0
	}
	n := int16(math.Round(advanceUnits*math.Log(math.Abs(float64(d))))) + 1
	if d < 0 {
		n = -n
	}
	return n
}

// ln returns the logarithm of register i's difference, and whether the register rose; ok is false
// without a difference.
func (a *Advance) ln(i int) (ln float64, rose, ok bool) {
	n := a[i]
	if n < 0 {
		return float64(-n-1) / advanceUnits, false, true
	}
	return float64(n-1) / advanceUnits, true, n > 0
}
