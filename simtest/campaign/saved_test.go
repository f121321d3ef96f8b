package campaign

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

const (
	// savedOff is the most that what a case saves by the model is off the truth, as a share of what
	// its work draws at the highest clock. The model is a data sheet's.
	savedOff = 0.08
	// savedLeast and savedMost bound the sum over all cases, as shares of the truth.
	savedLeast, savedMost = 0.8, 1
)

// TestSavedOfTenants: what tenants have saved by the model is what their work really drew less than
// at the highest clock, or a little less.
func TestSavedOfTenants(t *testing.T) {
	const length = 10 * time.Second
	first, last, one := cases(devtest.Cases(24, 6))
	var allSaved, allTruth units.Energy
	for s := first; s <= last; s++ {
		c, err := drawTenants(s, length)
		if err != nil {
			t.Fatal(err)
		}
		runs, m, err := c.governed()
		if err != nil {
			t.Fatal(err)
		}
		var saved, truth, drawn units.Energy
		for i, of := range m.Energy().Tenants {
			x := &c.Tenants[i]
			o := x.Options
			o.Faults = hardware.FaultPlan{}
			p := c.Profile.WithCores(x.cores())
			highest, err := simtest.Static(p, x.Workload, o, p.Highest())
			if err != nil {
				t.Fatal(err)
			}
			less := worked(highest) - worked(runs[i])
			if one {
				t.Logf("tenant %d: %v saved by the model, %v in truth", i+1, of.Saved, less)
			}
			saved, truth, drawn = saved+of.Saved, truth+less, drawn+worked(highest)
		}
		allSaved, allTruth = allSaved+saved, allTruth+truth
		off := float64(saved-truth) / float64(drawn)
		t.Logf("seed %d: %v saved by the model, %v in truth, of %v: %.1f points off", s, saved,
			truth, drawn, 100*off)
		if math.Abs(off) > savedOff {
			t.Errorf("seed %d: %v\n  %s -v", s, &c, devtest.SeedCommand(t.Name(), s))
		}
	}
	share := float64(allSaved) / float64(allTruth)
	t.Logf("%v saved by the model, %v in truth", allSaved, allTruth)
	if !one && (share < savedLeast || share > savedMost) {
		t.Errorf("the model's is %.2f of the truth", share)
	}
}

// worked returns the energy of what a run's threads did: without leakage, and what is always on.
func worked(r *simtest.Truth) units.Energy {
	return r.Energy.CoreDynamic + r.Energy.UncoreDynamic
}
