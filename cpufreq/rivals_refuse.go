package cpufreq

import "fmt"

// RefuseRivals returns the error with which ebb declines to set frequencies beside rivals. found
// has at least one.
func RefuseRivals(found []Rival) error {
	verb := "sets"
	if len(found) > 1 {
		verb = "set"
	}
	return fmt.Errorf(
		"%s %s this machine's frequencies too: stop it first (%s), "+
			"or go on beside it with --takeover", RivalNames(found), verb, found[0].Stop,
	)
}
