package coalesce

import "time"

// Config is the configuration of a Watch.
type Config struct {
	Quantum time.Duration
	Longest int     // longest rest in quanta; below 2 there are no rests
	Budget  float64 // slowdown that is allowed
}

const (
	// holds is the number of quanta in a row that must be as forecast before the first rest.
	holds = 4
	// longest bounds a rest, whatever the quantum.
	longest = 100 * time.Millisecond
	// ofRun bounds a rest to 1/ofRun of the run so far.
	ofRun = 32
	// atRisk bounds what a rest may overspend, if the program ends with it, to 1/atRisk of the run
	// so far.
	atRisk = 2000
	// ownAfter is the time after which the governor's own cost is judged: its first quanta cost the
	// most.
	ownAfter = 100 * time.Millisecond
	// dear is the part of the budget, 1/dear, at which the governor begins to look less often if
	// the highest frequency was the choice of highLooks looks in a row. Where others take the CPUs
	// again and again, no two quanta are alike, and looking would never become cheaper.
	dear      = 8
	highLooks = 16
)

// Watch decides on rests. Its zero value with a Config is ready to use.
type Watch struct {
	Config
	held     int    // quanta in a row that were as forecast
	level    int    // level of the last rest, which had 2^level quanta
	forecast Bounds // forecast of the coming quantum
	known    bool   // forecast is valid
	before   calm
	high     int // looks in a row whose choice was the highest frequency
	// Time of the run so far at the highest frequency, and the governor's own cost in it.
	ran, own time.Duration
}

// Quantum is a quantum and the decision at its end.
type Quantum struct {
	Work
	Ready time.Duration // time in which its threads could run while others had the CPUs, summed
	Own   time.Duration // governor's own cost to the program in it
	Idle  float64       // ns in which no thread could run
	Took  float64       // ns, at the frequency that it ran at
	Max   float64       // ns that it takes at the highest
	After float64       // ns that it takes at the frequency chosen for the coming quanta
	Slack float64       // ns that are left of the budget
	// Sound says that nothing is missing in the quantum, and that the choice is not for one quantum
	// only.
	Sound bool
	// Broken says that the machine ended the rest that the quantum was part of.
	Broken  bool
	Highest bool // chosen frequency is the highest
}

// Next takes a quantum, and returns how many quanta may pass before the next look, and the bounds
// for the program meanwhile. One quantum is no rest.
func (w *Watch) Next(q *Quantum) (quanta int, within Bounds) {
	if w.high++; !q.Highest {
		w.high = 0
	}
	quanta, within = w.next(q)
	if n := w.spared(q); n > quanta {
		return n, open()
	}
	return quanta, within
}

func (w *Watch) next(q *Quantum) (quanta int, within Bounds) {
	w.ran += time.Duration(q.Max)
	w.own += q.Own
	if w.Longest < 2 || q.Run == 0 { // nothing ran, which says nothing of the time to come
		return 1, within
	}
	switch {
	case !q.Sound || q.Broken || w.known && !w.forecast.Hold(&q.Work):
		w.disturb(q)
	case w.known:
		w.held++
	}
	if w.known = q.Sound && q.Work.Run > 0 && q.Took > q.Idle && q.After > q.Idle; w.known {
		w.forecast = around(q.ahead(), w.Quantum)
	}
	displaced := w.resume(q)
	if displaced {
		w.forecast = w.before.forecast
	}
	if w.costly(q) {
		return w.most(), open()
	}
	if displaced {
		return max(1, min(w.most(), 1<<w.before.level, w.affordable(q))), w.forecast
	}
	if !w.known || w.held < holds {
		return 1, within
	}
	n := min(w.most(), 1<<(w.level+1), w.affordable(q))
	if n < 2 {
		return 1, within
	}
	if 1<<(w.level+1) <= w.most() {
		w.level++
	}
	return n, w.forecast
}

// Costly reports whether the governor itself has cost more than the budget so far.
func (w *Watch) Costly() bool {
	return w.ran >= ownAfter && float64(w.own) > float64(w.Budget*float64(w.ran))
}

// costly reports whether the governor need not look because it costs too much. It need not only at
// the highest frequency.
func (w *Watch) costly(q *Quantum) bool { return q.Highest && q.Max > 0 && w.Costly() }

// spared returns the number of quanta that may pass whatever the program does, so that looking
// costs less: 2 from an eighth of the budget on, 4 from a quarter and 8 from a half. All that can
// be lost in them is a saving that would begin meanwhile.
func (w *Watch) spared(q *Quantum) int {
	if w.Longest < 2 || q.Run == 0 || !q.Sound || w.high < highLooks || w.ran < ownAfter {
		return 1
	}
	n, part := 1, w.Budget*float64(w.ran)/dear
	for ; n < 8 && float64(w.own) > part; part *= 2 {
		n *= 2
	}
	return min(n, w.most(), w.affordable(q))
}

// most returns the longest rest, in quanta.
func (w *Watch) most() int { return min(w.Longest, int(longest/w.Quantum)) }

// affordable returns the number of quanta that are a small part of the run so far, and overspend
// little.
func (w *Watch) affordable(q *Quantum) int {
	n := float64(w.ran) / ofRun / float64(w.Quantum)
	// A quantum spends this beyond its own share of the budget.
	spends := (q.After - float64(q.Max*(1+w.Budget))) / q.After * float64(w.Quantum)
	if spends > 0 {
		n = min(n, max(q.Slack+float64(w.ran)/atRisk, 0)/spends)
	}
	return int(min(n, float64(w.Longest)))
}

// ahead returns the quantum's work as it would be at the frequency chosen for the coming quanta.
func (q *Quantum) ahead() *Work {
	w := q.Work
	pace := (q.After - q.Idle) / (q.Took - q.Idle)
	w.Time = time.Duration(float64(w.Time) * (q.After / q.Took))
	w.Run = time.Duration(float64(w.Run) * pace)
	w.Counted = time.Duration(float64(w.Counted) * pace)
	return &w
}
