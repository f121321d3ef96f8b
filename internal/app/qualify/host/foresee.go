package host

import (
	"fmt"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/inventory"
)

// planAnew prints the time that the plan still takes, where later steps lack something.
func (h *host) planAnew() {
	h.foresee()
	var skipped []string
	left := time.Duration(0)
	for _, n := range h.Plan.Asked {
		switch {
		case n == qualify.StepThere:
		case h.lacking[n] != nil:
			skipped = append(skipped, fmt.Sprint(n))
		default:
			left += h.Plan.Time(n)
		}
	}
	switch {
	case len(skipped) == 0:
	case left == 0:
		h.Say("   nothing is left to try: this ends in some seconds")
	default:
		h.Say("   so the rest takes about %s, without %s %s", qualify.Span(left),
			map[bool]string{true: "step", false: "steps"}[len(skipped) == 1],
			strings.Join(skipped, ", "))
	}
}

// foresee finds which steps will be skipped, without a write to the machine.
func (h *host) foresee() {
	h.lacking = map[int]error{}
	none := h.alone()
	if none == nil {
		_, none = cpufreq.Open(h.fs)
	}
	for _, n := range []int{qualify.StepRequests, qualify.StepPredictions, qualify.StepBudgets,
		qualify.StepIdle, qualify.StepKilled} {
		h.lacking[n] = none
	}
	if h.meter == nil && none == nil {
		h.lacking[qualify.StepIdle] = h.noMeterAbsent()
	}
	h.lacking[qualify.StepMeters] = h.unmetered()
	open, _, _, err := perfevent.Best(hpc.Sets(inventory.Families()), h.cpus.Numbers())
	if err == nil {
		_ = open.Close() // it was only opened
	} else if m, none := perfevent.OpenMemory(h.fs); none == nil {
		_ = m.Close() // it was only opened
		err = nil
	}
	h.lacking[qualify.StepCounters] = err
}

// unmetered returns the reason why there is no meter of any kind; nil where there is one.
func (h *host) unmetered() error {
	own, err := openRAPL(h.fs)
	if err == nil {
		_ = own.close() // it was only opened
		return nil
	}
	if list, _, e := inventory.List(h.fs); e == nil && len(list) > 0 || h.Log != "" {
		return nil
	}
	if c, e := inventory.Batteries(h.fs); e == nil && c.Power > 0 {
		return nil
	}
	return err
}
