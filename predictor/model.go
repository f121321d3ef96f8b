package predictor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/epochs"
)

// model predicts how long work would have taken. It is told of every epoch once, when it was added
// to the work, and may prepare what does not depend on the frequency then.
type model interface {
	reset()
	// add is called after epoch e was appended to w.
	add(w *work, e int)
	// duration predicts the time of all of w at f Hz, with the non-scaling time at the place a of
	// its bracket.
	duration(w *work, f, a float64) float64
}

// Critical-thread prediction of the model "dep" (DEP+BURST, section 3.3).
const (
	Across   = "across"    // across epochs: Algorithm 1
	PerEpoch = "per-epoch" // the longest predicted thread of each epoch
)

// Wake is the default model. It always counts store bursts.
const Wake = "wake"

const burstSuffix = "+burst"

var models = []struct{ name, what string }{
	{Wake, "a clock per thread, joined along who woke whom (ebb's own)"},
	{"dep", "epochs, each as long as its critical thread is predicted to take (ctp: across or per-epoch)"},
	{"coop", "m+crit for each phase of the application and of its collector by itself"},
	{"m+crit", "each thread over the whole time; the longest is the prediction"},
}

// ModelNames lists the models' names, each also to be had with "+burst".
func ModelNames() []string {
	var names []string
	for _, m := range models {
		names = append(names, m.name)
		if m.name != Wake {
			names = append(names, m.name+burstSuffix)
		}
	}
	return names
}

// newModel builds the model called name, for c's machine and unit; burst tells whether its
// estimator counts store bursts.
func newModel(
	name, ctp string, collectors []epochs.TID, c *config,
) (m model, burst bool, err error) {
	base, burst := strings.CutSuffix(name, burstSuffix)
	if !slices.Contains(ModelNames(), name) {
		return nil, false, fmt.Errorf("unknown model %q: there are %s", name,
			strings.Join(ModelNames(), ", "))
	}
	if ctp != Across && ctp != PerEpoch {
		return nil, false, fmt.Errorf("unknown critical-thread prediction %q: there are %s, %s",
			ctp, Across, PerEpoch)
	}
	switch {
	case base == Wake:
		return &wake{machine: c.machine, short: int64(shortWait) * c.unit.PerNs()}, true, nil
	case base == "m+crit":
		return new(mcrit), burst, nil
	case base == "coop":
		return &coop{collectors: collectors}, burst, nil
	case ctp == PerEpoch:
		return new(perEpoch), burst, nil
	default:
		return new(across), burst, nil
	}
}
