package sensitivity

import (
	"errors"
	"fmt"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// FunctionNumber is a function's number in a table. UnknownFunction is no function of the table.
type FunctionNumber int32

// UnknownFunction is a function that the table lacks: all of its time scales.
const UnknownFunction FunctionNumber = -1

// Shares holds, by function, the share of running time that does not scale with the clock.
type Shares struct {
	Frequency units.Frequency // frequency at which Share was measured
	Share     []float64       // shares by function number, each 0 to 1
}

// Validate checks the bounds.
func (s *Shares) Validate() error {
	switch {
	case s.Frequency < 1e6 || s.Frequency > 1e11:
		return fmt.Errorf("shares of functions at %v, which is no processor's frequency",
			s.Frequency)
	case len(s.Share) == 0:
		return errors.New("no shares of functions")
	case len(s.Share) > MaxFunctions:
		return fmt.Errorf("shares of %d functions, more than %d", len(s.Share), MaxFunctions)
	}
	for i, x := range s.Share {
		if !(x >= 0 && x <= 1) {
			return fmt.Errorf("function %d: a share of %v is not between 0 and 1", i, x)
		}
	}
	return nil
}

// at returns a function's share of its time at another frequency: the part that scales takes longer
// at a lower one.
func (s *Shares) at(fn FunctionNumber, f units.Frequency) float64 {
	if fn < 0 || int(fn) >= len(s.Share) {
		return 0
	}
	fixed := s.Share[fn]
	scaling := (1 - fixed) * float64(s.Frequency) / float64(f)
	return fixed / (fixed + scaling)
}

// Sample is the place where a thread was at a time.
type Sample struct {
	At       units.Instant
	Thread   epochs.TID
	Function FunctionNumber
	Advance  Advance
}
