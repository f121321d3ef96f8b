package oracle_test

import (
	"github.com/ebb-energy/ebb/simtest"
	. "github.com/ebb-energy/ebb/simtest/oracle"
	"github.com/ebb-energy/ebb/simtest/workload"
	"github.com/ebb-energy/ebb/units"
	"os"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	for _, name := range []string{"haswell-ep", "rome", "hwp", "leaky"} {
		if e := os.Getenv("PROF"); e != "" && e != name {
			continue
		}
		p, _ := simtest.ProfileByName(name)
		ns := workload.Paper()
		t.Log(name)
		for _, w := range ns {
			b := time.Now()
			s, err := Measure(p, w, 1)
			if err != nil {
				t.Fatal(err)
			}
			sw := time.Since(b)
			t.Logf("%s: wall %v slow@low %.3f sweep %v", w.Name, s.Highest().Wall, Slowdown(s.Highest(), s.Runs[0]), sw)
			for _, bud := range []units.Ratio{0.05} {
				b = time.Now()
				d, err := s.Dynamic(Processor, bud, 5*time.Millisecond)
				if err != nil {
					t.Fatal(err)
				}
				f, st := s.Static(Processor, bud)
				t.Logf("  %v: chunks %d planned %.2f%% got %.2f%% slow %.2f%% static %v %.2f%% slow %.2f%%; err t %.3f%% e %.3f%% replays %d static %v steps %d table %v %v", bud, d.Chunks, 100*(1-float64(d.Planned)/float64(s.Highest().Energy.Package())),
					100*Saving(Processor, s.Highest(), d.Run), 100*Slowdown(s.Highest(), d.Run), f, 100*Saving(Processor, s.Highest(), st), 100*Slowdown(s.Highest(), st), 100*d.TimeError, 100*d.EnergyError, d.Replays, d.Static, len(d.Steps), d.Table, time.Since(b))
			}
		}
	}
}
