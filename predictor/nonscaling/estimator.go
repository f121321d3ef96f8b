package nonscaling

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/epochs"
)

// Splitter splits a thread's time in an epoch by the values of its row.
type Splitter interface {
	// Rebase gives the frequency, in Hz, at which the coming rows ran.
	Rebase(base float64)
	// Split returns the parts of dur, and whether a counter was out of bounds and was clamped.
	Split(v []int64, dur int64) (p Parts, clamped bool)
}

// Looker is a Splitter that looks at each epoch as a whole before it splits the epoch's rows.
type Looker interface {
	Look(e *epochs.Epoch)
}

// Estimator is a way to find the part of a thread's time that does not scale with frequency, from
// the counter columns that are there.
type Estimator struct {
	Name string
	// Section is the section of DEP+BURST that describes it; "" for ebb's own.
	Section string
	Columns []string // columns needed; "a|b" is a, or b where a is missing
	Store   []string // columns needed besides by models that count store bursts
	// StoreOptional: it does without Store when the processor has no counter left for it. The time
	// waited for stores then counts as scaling, which is on the safe side.
	StoreOptional bool
	Doc           string // description in a line
	// NeedsUnit: it weighs counts against times, so it needs the unit of the times.
	NeedsUnit bool
	// CountsFetch: it counts the time waited for instructions.
	CountsFetch bool
	Make        func(Columns, Options) Splitter
}

// Options set an estimator up: the model that uses it, the machine's latencies, the unit of times,
// and the rules that it does without.
type Options struct {
	Burst     bool // the model counts store bursts
	Latencies Latencies
	Unit      epochs.TimeUnit
	Without   Rules
}

// PerNs returns the number of time units in a nanosecond.
func (o *Options) PerNs() float64 { return float64(o.Unit.PerNs()) }

// ErrMissing is wrapped when a table lacks columns that an estimator needs.
var ErrMissing = errors.New("which are missing")

// New makes the estimator's splitter for rows with the given columns. Missing columns are an error
// that lists the existing ones and wraps ErrMissing.
func (e *Estimator) New(o Options, have Columns) (Splitter, error) {
	if missing := e.Missing(o.Burst, have); len(missing) > 0 {
		return nil, fmt.Errorf("estimator %q needs the columns %s, %w; there are %s",
			e.Name, strings.Join(missing, ", "), ErrMissing, have)
	}
	if e.NeedsUnit && o.Unit == "" {
		return nil, fmt.Errorf(
			"estimator %q needs to know the unit of the epochs' times (Config.Unit)", e.Name)
	}
	return e.Make(have, o), nil
}

// Missing returns the columns that the estimator needs, with store bursts or without, and that are
// not there.
func (e *Estimator) Missing(burst bool, have Columns) (missing []string) {
	need := slices.Clone(e.Columns)
	if burst && !e.StoreOptional {
		need = append(need, e.Store...)
	}
	for _, n := range need {
		if have.Index(n) < 0 {
			missing = append(missing, n)
		}
	}
	return missing
}
