package meters

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
)

// finish adds the model's prediction to the report.
func (t *trained) Finish(_ context.Context, r *report.Report) error {
	p := &report.TrainedPower{Learner: t.model.Learner, Provenance: t.model.Provenance,
		EnergyNJ: int64(t.used), Windows: t.windows, OutsideWindows: t.outside,
		JVMWindows: t.richWindows, MostOutside: t.mostBeyond(),
		SawProgram: t.command != "" && t.model.Saw(t.command)}
	if t.guest != nil {
		p.GuestOf = t.guest.all
	}
	if !t.unknown && t.windows > 0 {
		low, high := int64(t.low), int64(t.high)
		p.LowNJ, p.HighNJ = &low, &high
	}
	r.TrainedPower(p)
	if t.problem != nil {
		part.Warn(r, "the power model's inputs could not be read: "+t.problem.Error())
	}
	if t.plainWindows > 0 {
		part.Warn(r,
			fmt.Sprintf("counters or clock could not be read in %d of %d windows: there the "+
				"power model does with the kernel's inputs", t.plainWindows, t.windows))
	}
	if t.events != nil {
		for _, problem := range t.events.end() {
			part.Warn(r, "the power model does without the events of a JVM: "+problem)
		}
	}
	return nil
}

// note counts the inputs that were outside their trained range in a window.
func (t *trained) note(names []string) {
	for _, name := range names {
		if t.beyond == nil {
			t.beyond = map[string]int{}
		}
		t.beyond[name]++
	}
}

// mostBeyond returns the input that was outside its trained range in the most windows; empty for
// none.
func (t *trained) mostBeyond() (most string) {
	for _, name := range slices.Sorted(maps.Keys(t.beyond)) {
		if most == "" || t.beyond[name] > t.beyond[most] {
			most = name
		}
	}
	return most
}
