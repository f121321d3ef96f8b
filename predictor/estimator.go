package predictor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/epochs"
)

// splitter splits a thread's time in an epoch from the values of its row.
type splitter interface {
	// rebase tells the frequency, in Hz, at which the coming rows ran.
	rebase(base float64)
	split(v []int64, dur int64) (p parts, clamped bool)
}

// Estimator is a way to tell how much of a thread's time does not scale with frequency, from the
// counter columns that are there.
type Estimator struct {
	Name    string
	Columns []string // needed; "a|b" is a or else b
	Store   []string // needed besides by the models that count store bursts
	// Spare: it does without Store when the processor has no counter left for it. The time that
	// stores are waited for then counts as scaling, which is on the safe side.
	Spare bool
	What  string

	unit  bool // it weighs counts against times, so it must be told the unit of the times
	fetch bool // it counts what is waited for instructions
	make  func(*columns, config) splitter
}

// config is what an estimator is made for.
type config struct {
	burst   bool
	machine Machine
	unit    epochs.TimeUnit
}

// perNs is the number of time units in a nanosecond.
func (c *config) perNs() float64 { return float64(c.unit.PerNs()) }

// EstimatorNames lists the estimators. Without a name, the first whose columns are all there is
// taken.
func EstimatorNames() []string {
	var names []string
	for _, d := range estimators {
		names = append(names, d.Name)
	}
	return names
}

// ErrMissing is wrapped when there are not all columns that an estimator was asked for needs.
var ErrMissing = errors.New("which are missing")

// newEstimator builds the estimator called name over the columns and returns its name too, as name
// may be empty.
func newEstimator(name string, c config, have []string) (splitter, string, error) {
	if name == "" {
		name = best(c.burst, have)
	}
	i := slices.IndexFunc(estimators, func(d Estimator) bool { return d.Name == name })
	if i < 0 {
		return nil, "", fmt.Errorf("unknown estimator %q: there are %s", name,
			strings.Join(EstimatorNames(), ", "))
	}
	cols := columns{have: have}
	if missing := estimators[i].missing(c.burst, &cols); len(missing) > 0 {
		return nil, "", fmt.Errorf("estimator %q needs the columns %s, %w; there are %s",
			name, strings.Join(missing, ", "), ErrMissing, cols.list())
	}
	if estimators[i].unit && c.unit == "" {
		return nil, "", fmt.Errorf(
			"estimator %q needs to know the unit of the epochs' times (Config.Unit)", name,
		)
	}
	return estimators[i].make(&cols, c), name, nil
}

func best(burst bool, have []string) string {
	cols := columns{have: have}
	for _, d := range estimators {
		if len(d.missing(burst, &cols)) == 0 {
			return d.Name
		}
	}
	return "none"
}

func (d *Estimator) missing(burst bool, cols *columns) (missing []string) {
	need := slices.Clone(d.Columns)
	if burst && !d.Spare {
		need = append(need, d.Store...)
	}
	for _, n := range need {
		if cols.index(n) < 0 {
			missing = append(missing, n)
		}
	}
	return missing
}

// columns looks up counter columns by name.
type columns struct{ have []string }

// index is the place of a column, or of the first that is there of "a|b|c"; -1 for none.
func (c *columns) index(names string) int {
	for n := range strings.SplitSeq(names, "|") {
		if i := slices.Index(c.have, n); i >= 0 {
			return i
		}
	}
	return -1
}

func (c *columns) list() string {
	if len(c.have) == 0 {
		return "none"
	}
	return strings.Join(c.have, ", ")
}
