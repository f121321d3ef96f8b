package perfevent

import (
	"errors"

	"github.com/ebb-energy/ebb/hpc"
)

// Best opens the first of sets that this machine can count on all of cpus. passed holds the error
// of each richer set. If none could be opened, the error is that of the last set.
func Best(sets []hpc.Set, cpus []int) (open *Set, set hpc.Set, passed []error, err error) {
	return best(sets, cpus, kernel{})
}

func best(sets []hpc.Set, cpus []int, source source) (*Set, hpc.Set, []error, error) {
	var passed []error
	for _, set := range sets {
		s, err := open(set, cpus, source)
		if err == nil {
			return s, set, passed, nil
		}
		passed = append(passed, err)
		if !errors.Is(err, ErrNotSupported) && !errors.Is(err, ErrNoCounter) {
			break // fewer events would not help
		}
	}
	if len(passed) == 0 {
		return nil, hpc.Set{}, nil, ErrNotSupported
	}
	return nil, hpc.Set{}, passed, passed[len(passed)-1]
}
