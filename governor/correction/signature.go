package correction

import "math"

// Signature distinguishes phases of a program by what does not depend on frequency: counts per
// instruction, such as misses of the last cache, stores, branches. Two samples are of the same
// phase when every count is within about 40 %.
type Signature [4]int8

// signatureOf makes the signature of up to four counts per instruction.
func signatureOf(perInstruction ...float64) (s Signature) {
	for i := range min(len(perInstruction), len(s)) {
		s[i] = bucket(perInstruction[i])
	}
	return s
}

// near reports whether two signatures are of the same phase, give or take a step: counts that lie
// between two steps go to either.
func (s Signature) near(o Signature) bool {
	for i := range s {
		if d := int(s[i]) - int(o[i]); d < -1 || d > 1 {
			return false
		}
	}
	return true
}

// bucket returns the place of x on a scale whose steps are factors of two. Less than one in a
// million counts as none.
func bucket(x float64) int8 {
	if !(x > 1e-6) {
		return math.MinInt8
	}
	return int8(math.Round(math.Log2(min(x, 1e6))))
}
