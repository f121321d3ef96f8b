package uncore

import "errors"

// Why says in a clause why Open failed: the machine has no such counters, or something prevents
// counting.
func Why(err error) string {
	if errors.Is(err, ErrNone) {
		return "not supported here: " + err.Error()
	}
	return err.Error()
}
