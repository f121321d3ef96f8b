package learning

import "math"

// Signature tells phases of a program apart by what does not depend on frequency: counts per
// instruction, such as misses of the last cache, stores, branches. Two samples are of the same
// phase when every count is within about 40 %.
type Signature [4]int8

// SignatureOf makes the signature of up to four counts per instruction.
func SignatureOf(perInstruction ...float64) (s Signature) {
	for i := range min(len(perInstruction), len(s)) {
		s[i] = bucket(perInstruction[i])
	}
	return s
}

// Near says whether two signatures are of the same phase, give or take a step: counts that lie
// between two steps go to either.
func (s Signature) Near(o Signature) bool {
	for i := range s {
		if d := int(s[i]) - int(o[i]); d < -1 || d > 1 {
			return false
		}
	}
	return true
}

// bucket is the place of x on a scale of factors of two. What is less than one in a million is
// none.
func bucket(x float64) int8 {
	if !(x > 1e-6) {
		return math.MinInt8
	}
	return int8(math.Round(math.Log2(min(x, 1e6))))
}

// Sample is a stretch of a program at one frequency, per unit of work (say, an instruction).
type Sample struct {
	Phase     Signature
	Frequency float64 // Hz, delivered
	Time      float64 // running time of its threads
	Lo, Hi    float64 // bracket of the part of it that does not scale
}

// Per divides times by an amount of work, for a Sample.
func (s Sample) Per(work float64) Sample {
	s.Time, s.Lo, s.Hi = s.Time/work, s.Lo/work, s.Hi/work
	return s
}

// At is the sample's time at f with the non-scaling part at the place a of the bracket.
func (s *Sample) At(f, a float64) float64 {
	n := s.Lo + a*(s.Hi-s.Lo)
	return (s.Time-n)*s.Frequency/f + n
}
