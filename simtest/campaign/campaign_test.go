package campaign

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/simtest"
)

var (
	runs = flag.Int("runs", 100, "how many seeds to run, unless -seed names one")
	from = flag.Uint64("from", 1, "the first of them")
)

// cases are the seeds to run: n from -from on, or the one that -seed names.
func cases(n int) (first, last uint64, one bool) {
	if s, ok := devtest.GivenSeed(); ok {
		return s, s, true
	}
	return *from, *from + uint64(n) - 1, false
}

// Seeds that once broke a rule. Of the first six counters could not be read for a part of an epoch,
// whose time counted as run at a slower clock; in the last the cores stood still for a change of
// the clock in the little time that threads ran.
func TestSeedsThatOnceBrokeARule(t *testing.T) {
	for _, s := range []uint64{5147, 5536, 5744, 6638, 7351, 7672, 8772} {
		c := Draw(s)
		r, err := Run(&c)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range r.Broken {
			t.Errorf("seed %d: %v: %v", s, b, &c)
		}
	}
}

// TestCampaign runs the cases of -runs seeds.
func TestCampaign(t *testing.T) {
	first, last, one := cases(*runs)
	var all Totals
	for s := first; s <= last; s++ {
		c := Draw(s)
		stuck := time.AfterFunc(time.Minute,
			func() { panic(fmt.Sprintf("seed %d: the run does not end: %v", s, &c)) })
		r, err := Run(&c)
		stuck.Stop()
		if err != nil {
			t.Errorf("seed %d: %v\n  %v\n  %s -v", s, err, &c, devtest.SeedCommand(t.Name(), s))
			continue
		}
		all.Add(&c, r)
		if one {
			t.Logf("%v: %d events, %d quanta, %v, %v", &c, r.Events, r.Quanta, r.Truth.Wall,
				r.Truth.Energy.Total())
		}
		for _, b := range r.Broken {
			t.Errorf("seed %d: %v", s, b)
		}
		if len(r.Broken) > 0 {
			t.Errorf("seed %d: %v\n  %s -v", s, &c, devtest.SeedCommand(t.Name(), s))
		}
		if s%10 != 0 && !one {
			continue
		}
		// The work is that of an undisturbed run at the lowest frequency.
		o := simtest.Options{Seed: c.Options.Seed, Quiet: true, Clamp: true}
		alone, err := simtest.Static(c.Profile, c.Workload, o, c.Profile.Lowest())
		if err != nil {
			t.Fatalf("seed %d: %v\n  %v", s, err, &c)
		}
		if c.Stop == 0 && alone.Work != r.Truth.Work {
			t.Errorf("seed %d: %d instructions of work, %d at %v\n  %v", s, r.Truth.Work,
				alone.Work, c.Profile.Lowest(), &c)
		}
		// The same seed gives the same trace, and its recording makes a new governor do the same.
		again := Draw(s)
		if r2, err := Run(&again); err != nil || r2.Trace != r.Trace {
			t.Errorf("seed %d: a second run has another trace, %v\n  %v", s, err, &c)
		}
		if err := replayed(r); err != nil {
			t.Errorf("seed %d: replayed: %v\n  %v", s, err, &c)
		}
	}
	t.Logf("%v", &all)
}
