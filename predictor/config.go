package predictor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
	"github.com/ebb-energy/ebb/predictor/waiting"
)

// Config chooses a predictor. Its zero value is the default.
type Config struct {
	Model     string // one of ModelNames; "" is DefaultModel
	Estimator string // one of EstimatorNames; "" is the first one whose columns are there
	CTP       string // Across or PerEpoch, for the model "dep"; "" is Across
	// Collectors are the garbage collector's threads, for the model "coop": the epochs they run in
	// are its phases. Phases can also be marked (Predictor.Mark).
	Collectors []epochs.TID
	// Unit is the unit of the epochs' times. The estimator "offcore" needs it; the others can do
	// without, but then ignore the memory's bandwidth.
	Unit epochs.TimeUnit
	// Latencies are the latencies of the machine that the epochs come from; nil is
	// nonscaling.DefaultLatencies. Recordings have them under their old name.
	Latencies *nonscaling.Latencies `json:"Machine"`
	// Alpha is the place of the non-scaling time between the ends of its bracket, 0 to 1; nil is
	// the middle.
	Alpha *float64
	// Without is the set of rules that are left out, to show what they are worth.
	Without nonscaling.Rules `json:",omitempty"`
}

// ErrMissing is wrapped when a table lacks columns that the chosen estimator needs.
var ErrMissing = nonscaling.ErrMissing

// complete fills in the defaults and checks the values that do not depend on columns.
func (c *Config) complete() error {
	if c.Model == "" {
		c.Model = DefaultModel
	}
	if c.CTP == "" {
		c.CTP = Across
	}
	switch {
	case !slices.Contains(ModelNames(), c.Model):
		return fmt.Errorf("unknown model %q: there are %s", c.Model,
			strings.Join(ModelNames(), ", "))
	case c.CTP != Across && c.CTP != PerEpoch:
		return fmt.Errorf("unknown critical-thread prediction %q: there are %s, %s", c.CTP, Across,
			PerEpoch)
	case c.Alpha != nil && !(*c.Alpha >= 0 && *c.Alpha <= 1):
		return fmt.Errorf("alpha %v is not between 0 and 1", *c.Alpha)
	}
	return nil
}

// latencies returns the machine's latencies, or the default ones if the machine is unknown.
func (c *Config) latencies() nonscaling.Latencies {
	if c.Latencies != nil {
		return *c.Latencies
	}
	return nonscaling.DefaultLatencies()
}

// model makes the model, and reports whether its estimator counts store bursts.
func (c *Config) model() (m waiting.Model, burst bool) {
	name, burst := strings.CutSuffix(c.Model, burstSuffix)
	d := modelNamed(name)
	return d.make(c), burst || d.alwaysBurst
}

// estimator finds the chosen estimator, the best one for the columns if none is chosen.
func (c *Config) estimator(burst bool, columns nonscaling.Columns) (nonscaling.Estimator, error) {
	all := estimators()
	i := slices.IndexFunc(all, func(e nonscaling.Estimator) bool {
		if c.Estimator == "" {
			return len(e.Missing(burst, columns)) == 0
		}
		return e.Name == c.Estimator
	})
	if i < 0 {
		return nonscaling.Estimator{}, fmt.Errorf("unknown estimator %q: there are %s",
			c.Estimator, strings.Join(EstimatorNames(), ", "))
	}
	return all[i], nil
}
