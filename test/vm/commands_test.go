package vm

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// TestCoresZone: a meter of the cores alone is read beside the package's, to the microjoule, and
// the least energy of the system is found with it.
func TestCoresZone(t *testing.T) {
	settle(t)
	fault(t, "zones", "7")
	r := command(t, "/bin/ebb", "doctor")
	says(t, r.out, "cores-0 (powercap)")
	meterAnew(t)
	_, rep, _ := governed(t, memoryBound.of(medium), "--minimize", "system-energy")
	for zone, used := range metered(t) {
		got := rep.measured(zone)
		t.Logf("%s: measured %.6f J, used %.6f J", zone, got, used)
		if math.Abs(got-used) > 1.5e-6 || got < 0.1 {
			t.Errorf("%s: measured %.6f J, used %.6f J", zone, got, used)
		}
	}
	if p, c := rep.measured("package-0"), rep.measured("cores-0"); c >= p {
		t.Errorf("the cores used %.3f J of the package's %.3f J", c, p)
	}
}

// TestMethods: of two functions in one thread that take as long at the highest clock, one of which
// waits for memory, each has half of the time; and in every zone the parts add up to what was
// measured.
func TestMethods(t *testing.T) {
	settle(t)
	const file = "/tmp/methods.json"
	before := controls(t)
	// At the usual rate the window in which the functions change has some ten samples, and chance
	// divides it.
	r := command(t, "/bin/ebb", append([]string{"run", "-q", "--methods", "--rate", "997",
		"--frequency", "4GHz", "--quantum", quantum, "--report", file, "--", "/bin/load"},
		mixed.of(long/2).args()...)...)
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	same(t, controls(t), before)
	var rep struct {
		Attribution struct {
			Zones []struct {
				Name, Source string
				Total        int64   `json:"total_nj"`
				Attributed   []int64 `json:"attributed_nj"`
				Others       []int64 `json:"others_nj"`
				Idle         []int64 `json:"idle_nj"`
				Unattributed []int64 `json:"unattributed_nj"`
			}
			Frames []struct{ Name string }
			Stacks []struct {
				Frames []int
				CPU    int64 `json:"cpu_ns"`
			}
		}
	}
	if err := json.Unmarshal([]byte(read(t, file)), &rep); err != nil {
		t.Fatal(err)
	}
	a := &rep.Attribution
	for _, z := range a.Zones {
		parts := z.Attributed[0] + z.Others[0] + z.Idle[0] + z.Unattributed[0]
		t.Logf("%+v", z)
		if z.Source != "measured" || parts != z.Total || z.Total == 0 {
			t.Errorf("%s: %d nJ of %d nJ", z.Name, parts, z.Total)
		}
	}
	if len(a.Zones) != 2 {
		t.Errorf("%d zones", len(a.Zones))
	}
	took := map[string]float64{}
	for _, s := range a.Stacks {
		if len(s.Frames) > 0 {
			took[a.Frames[s.Frames[0]].Name] += float64(s.CPU) / 1e9
		}
	}
	t.Log(took)
	if share := took["first"] / (took["first"] + took["second"]); math.Abs(share-0.5) > 0.02 ||
		took["first"] < 0.3 {
		t.Errorf("the first function has %.1f %% of %.2f s", 100*share,
			took["first"]+took["second"])
	}
}

// TestBench: ebb bench finds the times that the physics say, and leaves the machine as it was.
func TestBench(t *testing.T) {
	settle(t)
	const config = "/tmp/bench.toml"
	if err := os.WriteFile(config, []byte("quantum = \""+quantum+"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := controls(t)
	r := command(t, "/bin/ebb", append([]string{"bench", "-q", "--json", "--runs", "2",
		"--frequencies", "2GHz,4GHz", "--slowdown", "5%", "--config", config, "--", "/bin/load"},
		memoryBound.of(2*short).args()...)...)
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	same(t, controls(t), before)
	var b struct {
		Settings []struct {
			Kind     string
			Hz       int64 `json:"freq_hz"`
			Slowdown struct{ Estimate float64 }
			Energy   struct{ Estimate float64 } `json:"processor_energy_change"`
			Source   string                     `json:"energy_source"`
		}
	}
	if err := json.Unmarshal([]byte(r.out), &b); err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", b)
	found := false
	for _, s := range b.Settings {
		if s.Kind != "static" || s.Hz != 2e9 {
			continue
		}
		found = true // its own start is not slower at a lower clock as the load is
		if math.Abs(s.Slowdown.Estimate-0.1) > 0.03 || s.Energy.Estimate > -0.3 ||
			s.Source != "measured by RAPL" {
			t.Errorf("at half the clock: %+v", s)
		}
	}
	if !found || len(b.Settings) != 4 {
		t.Errorf("%d settings", len(b.Settings))
	}
}
