package host

import (
	"context"

	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/rapl"
	"github.com/ebb-energy/ebb/units"
)

// idle makes step 7: a program that mostly sleeps, at the highest clock, as the machine was found,
// and under ebb. Between its turns the rest of the machine decides how much is drawn.
func (h *host) idle(ctx context.Context, step *qualify.Step) error {
	states, err := h.controlled()
	if err != nil {
		return err
	}
	if h.meter == nil {
		return firstOf(h.noMeterAbsent())
	}
	r, close, err := h.runner(ctx, idleWork)
	if err != nil {
		return err
	}
	defer close()
	h.Say("   %s of a program that mostly sleeps", printable.Count(h.Plan.Rounds, "round"))
	result, err := h.compare(ctx, r,
		h.settings(r, states[len(states)-1:], []units.Slowdown{allowed[0]}, true), h.Plan.Rounds)
	if result != nil {
		step.Comparisons = append(step.Comparisons,
			*comparison(idleWork, qualify.Alone, result))
	}
	return err
}

// noMeterAbsent returns the reason why there is no meter.
func (h *host) noMeterAbsent() error {
	if h.noMeter != nil {
		return &absent{kind(h.noMeter), h.noMeter}
	}
	return lacks(qualify.NotSupported, "%w", rapl.ErrNone)
}
