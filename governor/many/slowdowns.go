package many

import (
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/units"
)

// The lengths of the rolling windows: what a user notices, and what an operator promises.
const (
	Short = 10 * time.Second
	Long  = 5 * time.Minute
)

// steps is the number of parts of a window. The window rolls by one part at a time.
const steps = 50

// Slowdowns holds a tenant's accounts of time: over the run and over rolling windows. The slowdown
// of a run of months says little about any of its minutes.
type Slowdowns struct {
	Run         Account
	Short, Long Window
}

// Account is a sum over quanta, in ns: the time that they took, and the time that they would have
// taken at the highest state according to the model.
type Account struct{ Took, Highest float64 }

func (a *Account) add(b Account) { a.Took, a.Highest = a.Took+b.Took, a.Highest+b.Highest }

// Slowdown returns the share of time that was lost; false where there is no time.
func (a Account) Slowdown() (units.Ratio, bool) {
	if !(a.Highest > 0) {
		return 0, false
	}
	return units.Ratio(a.Took/a.Highest - 1), true
}

// Window is an account of the newest part of a run. It rolls in steps of a fiftieth of its length.
type Window struct {
	parts  [steps]Account // by number of the part, modulo steps
	newest int64          // number of the newest part
	first  int64          // number of the first part, which may lack its beginning
	begun  bool
	// Worst is the highest slowdown of any whole window so far. Full says that there was one.
	Worst units.Ratio
	Full  bool
}

func (s *Slowdowns) enter(q *governor.Quantum) {
	a := Account{Took: q.AtEffective, Highest: q.Max}
	if q.AtHighest != 0 {
		a.Highest = q.AtHighest // the budget's own account
	}
	s.Run.add(a)
	end := q.Start.Add(q.Dur)
	s.Short.enter(a, end, Short)
	s.Long.enter(a, end, Long)
}

// enter adds a quantum that ended at a time. A quantum that spans several parts is counted in its
// last.
func (w *Window) enter(a Account, end units.Instant, length time.Duration) {
	k := int64(end / (units.Instant(length) / steps))
	if !w.begun {
		w.begun, w.first, w.newest = true, k, k
	}
	for rolled := 0; w.newest < k; rolled++ {
		if rolled > steps { // nothing ran for a whole window
			w.newest = k
			break
		}
		if w.newest-w.first >= steps {
			w.judge()
		}
		w.newest++
		w.parts[w.newest%steps] = Account{}
	}
	w.parts[k%steps].add(a)
}

// judge updates the worst slowdown by the present window, all of whose parts are complete.
func (w *Window) judge() {
	if s, ok := w.Now().Slowdown(); ok && (!w.Full || s > w.Worst) {
		w.Worst, w.Full = s, true
	}
}

// Now returns the account of the window up to the newest quantum.
func (w *Window) Now() (sum Account) {
	for _, p := range w.parts {
		sum.add(p)
	}
	return sum
}
