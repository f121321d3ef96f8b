package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/app/qualify"
)

// steps are the steps' functions, by number.
var steps = [qualify.Steps + 1]func(*host, context.Context, *qualify.Step) error{
	qualify.StepThere: (*host).there, qualify.StepRequests: (*host).requests,
	qualify.StepCounters: (*host).counters, qualify.StepMeters: (*host).meters,
	qualify.StepPredictions: (*host).predictions, qualify.StepBudgets: (*host).budgets,
	qualify.StepIdle: (*host).idle, qualify.StepKilled: (*host).killed,
}

// one does a step.
func (h *host) one(ctx context.Context, step *qualify.Step) {
	n := step.Number
	if h.lacking[n] == nil {
		h.Say("%d of %d: %s (about %s: %s)", n, qualify.Steps, qualify.Titles[n],
			qualify.Span(h.Plan.Time(n)), qualify.Why[n])
	} else {
		h.Say("%d of %d: %s", n, qualify.Steps, qualify.Titles[n])
	}
	begin, before := time.Now(), h.throttled()
	err := steps[n](h, ctx, step)
	step.TookNS = int64(time.Since(begin))
	step.Throttled = since(before, h.throttled())
	step.State, step.Because = qualify.Finished, ""
	var gone *absent
	switch {
	case err == nil:
	case ctx.Err() != nil:
		step.State, step.Because = qualify.NotRun, "it was interrupted"
	case errors.As(err, &gone):
		step.State, step.Absence, step.Because = qualify.Skipped, gone.absence, gone.Error()
	default:
		step.State, step.Because = qualify.Failed, err.Error()
	}
	h.Say("   %s", h.sentence(step))
}

// sentence returns the outcome of a step as a sentence. It does not repeat a reason that an earlier
// step had.
func (h *host) sentence(s *qualify.Step) string {
	text := string(s.State)
	if s.Absence != "" {
		text += ", " + string(s.Absence)
	}
	switch n := h.reasons[s.Because]; {
	case s.Because == "":
	case n > 0:
		text += fmt.Sprintf(", as step %d", n)
	default:
		text += ": " + s.Because
		h.reasons[s.Because] = s.Number
	}
	for _, m := range s.Missing {
		text += fmt.Sprintf("; without %s (%s: %s)", m.What, m.Absence, m.Because)
	}
	if s.Throttled.Any() {
		text += "; the hardware held the clock back meanwhile"
	}
	return text
}
