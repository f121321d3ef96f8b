package uncore

import "errors"

// Why says in a clause why Open did not open: that the machine has no such counters, or what is in
// the way.
func Why(err error) string {
	if errors.Is(err, ErrNone) {
		return "not supported here: " + err.Error()
	}
	return err.Error()
}
