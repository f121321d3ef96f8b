package predictor

// Sample is work done at one frequency, summed over its threads: that of a quantum, or of one
// instruction (Per).
type Sample struct {
	Frequency float64 // Hz, delivered
	Time      float64 // running time
	Lo, Hi    float64 // bracket of the part of Time that does not scale
}

// Per divides the times by an amount of work.
func (s Sample) Per(work float64) Sample {
	s.Time, s.Lo, s.Hi = s.Time/work, s.Lo/work, s.Hi/work
	return s
}

// At returns the time at f Hz with the non-scaling part at the place alpha of its bracket.
func (s *Sample) At(f, alpha float64) float64 {
	n := s.Lo + alpha*(s.Hi-s.Lo)
	return (s.Time-n)*s.Frequency/f + n
}
