package bench

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// shortRun is the least time that a run on a host should last: a start takes some 10 ms, energy is
// measured in steps of 1 ms, and a governor needs some hundred quanta to show its effect.
const shortRun = time.Second

// fewRounds: with fewer, Student's t makes intervals so wide that they show little.
const fewRounds = 5

// notes lists what readers have to know before they believe the figures.
func (r *Result) notes() {
	add := func(format string, args ...any) {
		r.Notes = append(r.Notes,
			fmt.Sprintf(format, args...))
	}
	if r.Rounds < r.Asked {
		add("%d of %d rounds are complete; the figures cover only those", r.Rounds, r.Asked)
	}
	if r.Rounds == 0 {
		return
	}
	host := r.Plan.Machine.Simulated == ""
	if fastest := r.Rows[0].Wall; host && fastest < shortRun {
		add("a run takes %s at the highest frequency: below %s, start and end are a large part of "+
			"the measurement; use more work", printable.Duration(fastest),
			printable.Duration(shortRun))
	}
	switch {
	case r.Rounds == 1:
		add("one round: the noise is unknown, so there are no intervals, and the run that chose " +
			"the static optimum also measures it; use --runs 5 or more")
	case r.Rounds < fewRounds:
		add("%d rounds: too few runs for narrow intervals; use --runs %d or more",
			r.Rounds, fewRounds)
	}
	if host {
		add("runs at a fixed frequency and as found are plain runs, without ebb; ebb's runs " +
			"contain what ebb costs the program, but not the time that ebb takes to start")
	}
	if host && r.Plan.Source == Modelled {
		add("energy is modelled, not measured: from time, the program's CPU time and the " +
			"requested frequency; without memory, idle states and the choices of the kernel's " +
			"own governor")
	}
	if host && r.Plan.Source == Reference {
		add("without an energy meter and a power model of this machine there are no joules: " +
			"changes of energy are those of a reference processor, by the time, the program's " +
			"CPU time and the requested frequency; a meter, or [power] in --config, would give " +
			"joules")
	}
	if host && r.Plan.Source == Measured {
		add("energy is what the machine's meters counted while the program ran: that of all " +
			"programs on the machine")
	}
	if !host {
		add("simulated: the runs of a round do the same work, with the round's seed; " +
			"rounds differ in the work and its order; ebb itself costs the program nothing there")
	}
	for i := range r.Rows {
		for _, what := range r.Rows[i].Trouble {
			add("%s: %s", r.Rows[i].Name, what)
		}
	}
}
