package sensitivity

// Verdict is the judgement of a table.
type Verdict int

const (
	Unproven Verdict = iota // the visits were too few or too irregular
	Right                   // the table's predictions hold
	Wrong                   // its predictions do not hold, so that all time is taken to scale
)

// Verdict returns the judgement of the table so far.
func (l *Log) Verdict() Verdict { return l.trust.state }

// Visits returns the number of complete visits that were compared.
func (l *Log) Visits() int { return l.trust.visits }

// Intervals returns the number of intervals between samples in which registers were compared.
func (l *Log) Intervals() int { return l.trust.intervals }

// Debt returns the time in ns that a table credited to the program before it was found to be wrong:
// the time by which the highest frequency was predicted to be slower than if all had scaled. It is
// returned once.
func (l *Log) Debt() (ns float64) {
	if l.trust.state == Wrong {
		ns, l.trust.credited = l.trust.credited, 0
	}
	return ns
}
