package governor

import "github.com/ebb-energy/ebb/governor/correction"

// Quantum is one profiled quantum and the decision at its end: the values of the decision's stages,
// in their order. The type of a field names the stage that set it.
type Quantum struct {
	Measured
	Clock
	correction.Lesson
	Predicted
	Choice
}
