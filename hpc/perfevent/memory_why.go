package perfevent

import "errors"

// WhyNoMemory returns a clause that says why OpenMemory failed: the machine has no such counters,
// or something prevents counting.
func WhyNoMemory(err error) string {
	if errors.Is(err, ErrNoMemory) {
		return "not supported here: " + err.Error()
	}
	return err.Error()
}
