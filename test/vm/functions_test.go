package vm

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// counted runs the program whose functions read the meters themselves under ebb, with the calls of
// its functions counted. It returns them by name, what the program says of each, and what an
// instruction takes (nJ).
func counted(
	t *testing.T, options string,
) (by map[string]profile.Function, truth map[string]ownCount, instruction float64) {
	t.Helper()
	const file = "/tmp/report.json"
	_ = os.Remove(file)
	r := command(t, "/bin/ebb", "run", "--report", file, "--quantum", quantum, "--frequency",
		"4GHz", "--functions="+options, "--", "/bin/functions")
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	var rep struct {
		Attribution profile.Profile `json:"attribution"`
	}
	if b, err := os.ReadFile(file); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(b, &rep); err != nil {
		t.Fatal(err)
	}
	f := rep.Attribution.Functions
	if f == nil {
		t.Fatal("no functions in the report")
	}
	if f.Instrumented != 5 || f.Never != 1 || f.Uncalled[0].Name != "never" {
		t.Errorf("of %d instrumented functions %d were never called: %v", f.Instrumented, f.Never,
			f.Uncalled)
	}
	by = map[string]profile.Function{}
	for i := range f.List {
		by[f.List[i].Name] = f.List[i]
	}
	truth = map[string]ownCount{}
	for line := range strings.Lines(r.out) {
		var name string
		var c ownCount
		if _, err := fmt.Sscanf(line, "%s calls %g ns %g cpu %g uj %g", &name, &c.calls,
			&c.ns, &c.cpu, &c.uj); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		truth[name] = c
	}
	return by, truth, f.InstructionNJ
}

// ownCount is what a program counts of a function of its own.
type ownCount struct{ calls, ns, cpu, uj float64 }

// perCall is the energy of a call, in nJ: what the meters counted between two readings without
// what others used, ebb above all, which compute as the given function does.
func (c *ownCount) perCall(compute *ownCount) float64 {
	return 1000 * (c.uj - (c.ns-c.cpu)*compute.uj/compute.ns) / c.calls
}

// TestMeteredFunctions: the energy of an invocation is that of the meters around it, within 5 % for
// functions that take at least 1 % of the run (SAFARI's Fig. 4), counts of calls are exact, and the
// counters of records are the PMU's, of which ebb chooses two: this one has no cache misses. The
// log has SAFARI's table I.
func TestMeteredFunctions(t *testing.T) {
	settle(t)
	fault(t, "counters", "16") // ebb's own and the program's
	by, truth, each := counted(t, "period=20ms,records=8,counters=auto")
	whole, compute := 0.0, truth["compute"]
	for _, own := range truth {
		whole += own.ns
	}
	t.Logf("%.3f nJ an instruction", each)
	for _, name := range []string{"compute", "await", "brief", "odd"} {
		f, own := by[name], truth[name]
		if float64(f.Calls) != own.calls || f.Records < 2 {
			t.Errorf("%s: %d calls of %v, %d records", name, f.Calls, own.calls, f.Records)
			continue
		}
		call := own.perCall(&compute)
		off := float64(f.MeanNJ)/call - 1
		t.Logf("%s: %.1f %% of the run, %.1f %% of that its CPU time, %.3f mJ a call by the "+
			"meters, %.3f mJ by %d records: %+.1f %%; counts %v", name, 100*own.ns/whole,
			100*own.cpu/own.ns, call/1e6, float64(f.MeanNJ)/1e6, f.Records, 100*off,
			f.Counts)
		wall := own.ns / own.calls
		t.Logf("table I, %s: CPU use %.0f %%, %.2f switches a call, %.2f W by the meters, %.2f W "+
			"by records", name, 100*float64(f.CPUNS)/float64(f.WallNS), f.Switches, call/wall,
			float64(f.MeanNJ)/wall)
		if math.Abs(off) > 0.05 {
			t.Errorf("%s: it is %.1f %% off", name, 100*off)
		}
		// The modelled core retires two instructions in a cycle in which it does not wait.
		if len(f.Counts) != 2 || f.Counts[0] <= 0 {
			t.Errorf("%s: counts %v", name, f.Counts)
			continue
		}
		want := map[string]float64{"await": 0.2, "odd": 0.2}[name]
		if want == 0 {
			want = 2
		}
		instructions, cycles := f.Counts[0], f.Counts[1]
		if ipc := instructions / cycles; math.Abs(ipc/want-1) > 0.1 {
			t.Errorf("%s: %.3f instructions in a cycle, not %.1f", name, ipc, want)
		}
		if want := own.cpu / own.calls * 4; math.Abs(cycles/want-1) > 0.05 {
			t.Errorf("%s: %.0f cycles in a call, not %.0f", name, cycles, want)
		}
	}
}

// TestFunctionsWithoutCounters: where the PMU has no counter left for a program's own, its records
// have no counts, and no wrong ones.
func TestFunctionsWithoutCounters(t *testing.T) {
	fault(t, "counters", strconv.Itoa(3)) // ebb takes them all
	by, _, _ := counted(t, "period=20ms,counters=cycles+instructions")
	for name, f := range by {
		if len(f.Counts) > 0 {
			t.Errorf("%s: counts %v", name, f.Counts)
		}
	}
	if by["compute"].Records == 0 {
		t.Error("there are no records")
	}
}
