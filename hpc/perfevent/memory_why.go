package perfevent

import "errors"

// WhyNoMemory says in a clause why OpenMemory failed: the machine has no such counters, or
// something prevents counting.
func WhyNoMemory(err error) string {
	if errors.Is(err, ErrNoMemory) {
		return "not supported here: " + err.Error()
	}
	return err.Error()
}
