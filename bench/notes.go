package bench

import (
	"fmt"
	"time"
)

// ShortRun is what a run on a host should last at least: a start takes some 10 ms, a measurement of
// energy is in steps of 1 ms, and a governor needs a hundred quanta or so to show what it does.
const ShortRun = time.Second

// fewRounds: with fewer, Student's t makes intervals so wide that they show little.
const fewRounds = 5

// notes says what the reader has to know before he believes the figures.
func (r *Result) notes() {
	add := func(format string, args ...any) {
		r.Notes = append(r.Notes,
			fmt.Sprintf(format, args...))
	}
	if r.Rounds < r.Asked {
		add("%d of %d rounds are complete; the figures are of those", r.Rounds, r.Asked)
	}
	if r.Rounds == 0 {
		return
	}
	host := r.Plan.Machine.Simulated == ""
	if fastest := r.Rows[0].Wall; host && fastest < ShortRun {
		add(
			"a run takes %v at the highest frequency: below %v, starting and ending is much of what is measured; take more work", fastest.Round(time.Millisecond), ShortRun,
		)
	}
	switch {
	case r.Rounds == 1:
		add(
			"one round: nothing is known of the noise, so there are no intervals, and the static optimum is reported by the run that chose it; take --runs 5 or more",
		)
	case r.Rounds < fewRounds:
		add("%d rounds: intervals are wide for want of runs; --runs %d or more narrows them",
			r.Rounds, fewRounds)
	}
	if host && r.Plan.Source == Modelled {
		add(
			"energy is modelled, not measured: from time, the program's CPU time and the frequency that was asked for; what memory and idle states do is not in it, nor what the kernel's own governor chose",
		)
	}
	if host && r.Plan.Source == Measured {
		add(
			"energy is what the machine's meters counted while the program ran: of all that ran there, not of the program alone",
		)
	}
	if !host {
		add(
			"simulated: the runs of a round do the same work, with the round's seed, so what differs between rounds is the work and its order, which settings share",
		)
	}
	for i := range r.Rows {
		for _, what := range r.Rows[i].Trouble {
			add("%s: %s", r.Rows[i].Name, what)
		}
	}
}
