package sensitivity

// Verdict is what is known of a table.
type Verdict int

const (
	Unproven Verdict = iota // there were too few visits, or too irregular ones
	Right                   // its predictions hold
	Wrong                   // they do not, and all of the time scales
)

// Verdict is what is known of the table.
func (l *Log) Verdict() Verdict { return l.trust.state }

// Visits is the number of complete visits that were compared.
func (l *Log) Visits() int { return l.trust.visits }

// Intervals is the number of intervals between samples in which registers were compared.
func (l *Log) Intervals() int { return l.trust.intervals }

// Debt is the time in ns that a table which was found to be wrong has credited to the program: that
// by which the highest frequency was predicted to be slower than if all had scaled. It is given out
// once.
func (l *Log) Debt() (ns float64) {
	if l.trust.state == Wrong {
		ns, l.trust.credited = l.trust.credited, 0
	}
	return ns
}
