package qualify

import (
	"fmt"
	"slices"
	"time"
)

// The steps.
const (
	StepThere = iota + 1
	StepRequests
	StepCounters
	StepMeters
	StepPredictions
	StepBudgets
	StepIdle
	StepKilled
	Steps = StepKilled
)

// Titles are the steps' questions, by number; 0 is none.
var Titles = [Steps + 1]string{
	StepThere:       "What is there?",
	StepRequests:    "Do requests take effect?",
	StepCounters:    "Do the counters count?",
	StepMeters:      "Does the meter follow the load?",
	StepPredictions: "Are the predictions right?",
	StepBudgets:     "Are budgets kept, and is energy saved?",
	StepIdle:        "What does ebb cost an idle machine?",
	StepKilled:      "Is everything as it was after kill -9?",
}

// Why has the reasons for the steps, by number.
var Why = [Steps + 1]string{
	StepThere:       "a later step's failure is often explained here",
	StepRequests:    "ebb saves nothing where the clock does not follow its requests",
	StepCounters:    "ebb learns from them which part of a program's time scales with the clock",
	StepMeters:      "a saving is worth what its meter is worth",
	StepPredictions: "ebb chooses a clock by what it predicts there",
	StepBudgets:     "this is what ebb promises",
	StepIdle:        "a governor must not keep an idle machine awake",
	StepKilled:      "ebb must never leave a machine with a low clock",
}

// Mode names the time that a qualification takes.
type Mode string

// The modes.
const (
	Quick   Mode = "quick"
	Default Mode = "default"
	Full    Mode = "full"
)

// Plan is the course of a qualification, with the time of each part.
type Plan struct {
	Mode Mode `json:"mode"`
	// EachNS is the time of a program's run at the highest clock.
	EachNS   int64    `json:"each_ns"`
	Rounds   int      `json:"rounds"`
	Clocks   int      `json:"clocks"`
	Programs []string `json:"programs"`          // programs of step 5
	Compared []string `json:"compared_programs"` // programs of step 6
	Asked    []int    `json:"steps"`             // steps to be run
}

// The programs inside ebb.
const (
	Compute = "compute"
	Memory  = "memory"
	Threads = "threads"
	Resting = "idle"
	JVM     = "jvm" // runs where there is a JVM
)

// NewPlan returns the plan of a mode, with the steps that were asked for; none for all. Where they
// are not 0, each, rounds and clocks replace the mode's time of a program's run and its numbers of
// rounds and clocks.
func NewPlan(m Mode, each time.Duration, rounds, clocks int, asked []int) Plan {
	p := Plan{Mode: m, Rounds: 5, Clocks: 5, Programs: []string{Compute, Memory, Threads},
		Compared: []string{Memory, Threads}, EachNS: int64(3500 * time.Millisecond),
		Asked: asked}
	switch m {
	case Quick:
		p.EachNS, p.Compared = int64(600*time.Millisecond), []string{Memory}
	case Full:
		p.EachNS, p.Rounds = int64(10*time.Second), 10
		p.Compared = []string{Compute, Memory, Threads}
	}
	if each > 0 {
		p.EachNS = int64(each)
	}
	if rounds > 0 {
		p.Rounds = rounds
	}
	if clocks > 0 {
		p.Clocks = clocks
	}
	if len(asked) == 0 {
		for n := range Steps {
			p.Asked = append(p.Asked, n+1)
		}
	}
	return p
}

// TakesJVM reports whether a step of the plan runs the program of a JVM, where there is one.
func (p *Plan) TakesJVM() bool {
	return p.Does(StepPredictions) || p.Mode == Full && p.Does(StepBudgets)
}

// WithJVM adds the program of a JVM to the plan.
func (p *Plan) WithJVM() {
	p.Programs = append(p.Programs, JVM)
	if p.Mode == Full {
		p.Compared = append(p.Compared, JVM)
	}
}

// Each returns the time of a program's run at the highest clock.
func (p *Plan) Each() time.Duration { return time.Duration(p.EachNS) }

// Does reports whether a step is to be run.
func (p *Plan) Does(step int) bool {
	return slices.Contains(p.Asked, step)
}

// starting is the time to start a program, and ebb before it.
const starting = 400 * time.Millisecond

// stretch is the mean of the factors by which the tried clocks lengthen a run.
const stretch = 1.6

// Time returns the approximate time of a step.
func (p *Plan) Time(step int) time.Duration {
	run := time.Duration(stretch*float64(p.EachNS)) + starting
	switch step {
	case StepThere:
		return time.Second
	case StepRequests:
		return 6*p.Each() + 3*time.Second
	case StepCounters:
		return 6 * run
	case StepMeters:
		return LoadSteps * p.Load()
	case StepPredictions:
		return time.Duration(len(p.Programs)*p.Clocks) * run
	case StepBudgets:
		// A first round; fixed clocks and two neighbours, as found, two budgets. Three settings
		// beside another program, and under a quota.
		alone := len(p.Compared) * (p.Clocks + p.Rounds*(p.Clocks+5))
		return time.Duration(alone+3*(1+QuotaStretch)*p.Beside()) * run
	case StepIdle:
		return time.Duration(2*p.Rounds) * (p.Rest() + starting)
	case StepKilled:
		return 2*p.Each() + time.Second
	}
	return 0
}

// QuotaStretch is the factor by which the quota of step 6 lengthens a run.
const QuotaStretch = 2

// Beside returns the number of rounds beside another program, and under a quota.
func (p *Plan) Beside() int { return (p.Rounds + 1) / 2 }

// LoadSteps is the number of steps of load of step 4.
const LoadSteps = 5

// Load returns the time of a step of load.
func (p *Plan) Load() time.Duration { return 3 * p.Each() }

// Rest returns the time of a run of the program that is mostly idle.
func (p *Plan) Rest() time.Duration { return 2 * p.Each() }

// Whole returns the approximate time of all steps.
func (p *Plan) Whole() (sum time.Duration) {
	for _, n := range p.Asked {
		sum += p.Time(n)
	}
	return sum
}

// Span returns a time for people, in minutes from two of them on.
func Span(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}
