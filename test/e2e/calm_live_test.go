package e2e

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// calmRow is what the tests read of ebb calm --json.
type calmRow struct {
	Period            int `json:"period_ms"`
	Energy            struct{ Estimate float64 }
	Time              calmInterval
	Undelayed         *calmInterval
	Temporal, Spatial struct {
		R, SE float64
		Known bool
	}
	Calm, Sure  bool
	Convergence *float64
	Batches     int
}

type calmInterval struct{ Estimate, Lo, Hi float64 }

// frequencies is a run's, by epoch and core, and how long it took.
type frequencies struct {
	wall   float64
	epochs map[int]map[int]float64
}

var buildPhases = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "phases")
	out, err := exec.Command("go", "build", "-o", path, "testdata/phases/main.go").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// changing is a tree of two cores whose frequencies can be written.
func changing(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for cpu := range 2 {
		dir := filepath.Join(root, fmt.Sprintf("devices/system/cpu/cpu%d/cpufreq", cpu))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "scaling_cur_freq"), []byte("1000000\n"),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	meter := filepath.Join(root, "class/powercap/intel-rapl:0")
	if err := os.MkdirAll(meter, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"name": "package-0",
		"max_energy_range_uj": "65532610987", "energy_uj": "10000000"} {
		if err := os.WriteFile(filepath.Join(meter, name), []byte(value+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "devices/system/cpu/online"), []byte("0-1\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

// TestCalmCriteria: frequencies that change while the program runs, read live; what ebb makes of
// them is what the definitions say, computed another time in the plainest way from what it has
// read.
func TestCalmCriteria(t *testing.T) {
	devtest.Long(t)
	needRoot(t)
	nothingLeft(t)
	phases, err := buildPhases()
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"same", "reverse", "fast"} {
		t.Run(mode, func(t *testing.T) {
			root, samples := changing(t), filepath.Join(t.TempDir(), "samples.csv")
			res := ebb(t, "calm", "--quiet", "--json", "--runs", "2", "--batches", "0", "--periods",
				"16", "--epoch", "5ms", "--sysfs", root, "--samples", samples, "--", phases, root,
				mode)
			var rows []calmRow
			if err := json.Unmarshal([]byte(res.stdout), &rows); err != nil || len(rows) != 1 {
				t.Fatalf("%v: %s%s", err, res.stdout, res.stderr)
			}
			row := rows[0]
			if status := map[[2]bool]int{{true, true}: 0, {false, true}: 3,
				{false, false}: 4}[[2]bool{row.Calm, row.Sure}]; res.code != status {
				t.Errorf("calm %t, sure %t, status %d", row.Calm, row.Sure, res.code)
			}
			observed, reference := readSamples(t, samples, "observed"), readSamples(t, samples,
				"reference")
			if len(observed) != 2 || len(reference) != 2 {
				t.Fatalf("%d observed and %d reference runs, want 2 and 2", len(observed),
					len(reference))
			}
			for _, r := range slices.Concat(observed, reference) {
				// 6 phases of 60 ms and more
				if n := len(r.epochs); n < 70 || math.Abs(float64(n)-r.wall/5e6) > 1 {
					t.Errorf("%d epochs of 5 ms in %.1f ms", n, r.wall/1e6)
				}
			}
			logs := 0.0
			for i := range observed {
				logs += math.Log(observed[i].wall/reference[i].wall) / 2
			}
			if want := math.Exp(logs) - 1; math.Abs(row.Time.Estimate-want) > 1e-9 {
				t.Errorf("time %+v, want %v", row.Time, want)
			}
			tr, tn, sr, sn := plain(observed, reference)
			for _, c := range []struct {
				name        string
				got, se     float64
				r, n        float64
				shouldMatch bool
			}{{"temporal", row.Temporal.R, row.Temporal.SE, tr, tn, row.Temporal.Known},
				{"spatial", row.Spatial.R, row.Spatial.SE, sr, sn, row.Spatial.Known}} {
				if !c.shouldMatch || math.Abs(c.got-c.r) > 1e-9 ||
					math.Abs(c.se-math.Sqrt((1-c.r*c.r)/(c.n-2))) > 1e-9 {
					t.Errorf("%s %v±%v (known: %t), plainly computed %v of %v values", c.name,
						c.got, c.se, c.shouldMatch, c.r, c.n)
				}
			}
			above := func(r, n float64) bool {
				return r-1.96*math.Sqrt((1-r*r)/(n-2)) > 0.85
			}
			time := row.Time
			if row.Undelayed != nil {
				time = *row.Undelayed
			}
			if want := time.Lo > -0.05 && time.Hi < 0.05 && above(tr, tn) &&
				above(sr, sn); row.Calm != want {
				t.Errorf("calm: %t, by the criteria %t: %+v", row.Calm, want, row)
			}
			want := map[string]float64{"fast": 0.5}[mode]
			if math.Abs(row.Energy.Estimate-want) > 1e-6 {
				t.Errorf("energy %+v, want %v", row.Energy, want)
			}
			t.Logf("time %+.3f, temporal %.3f, spatial %.3f, calm %t, sure %t", row.Time.Estimate,
				tr, sr, row.Calm, row.Sure)
			// Whatever the load did to the time: other orders and other frequencies are no
			// correspondence.
			if mode == "reverse" && tr > 0.85 || mode == "fast" && (tr > 0.85 || sr > 0.85) {
				t.Errorf("%s: temporal %v, spatial %v", mode, tr, sr)
			}
		})
	}
}

func readSamples(t *testing.T, path, kind string) (runs []frequencies) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(lines[0],
		","), "period_ms,run,kind,wall_ns,epoch,cpu,freq_hz"; got != want {
		t.Fatalf("columns %s, want %s", got, want)
	}
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, l := range lines[1:] {
		if l[2] != kind {
			continue
		}
		run := number(l[1])
		for len(runs) < run {
			runs = append(runs, frequencies{epochs: map[int]map[int]float64{}})
		}
		r := &runs[run-1]
		r.wall = float64(number(l[3]))
		if r.epochs[number(l[4])] == nil {
			r.epochs[number(l[4])] = map[int]float64{}
		}
		r.epochs[number(l[4])][number(l[5])] = float64(number(l[6]))
	}
	return runs
}

// plain computes both correlations by definitions 3.1 to 3.5, and how many values went into each.
func plain(observed, reference []frequencies) (temporal, nt, spatial, ns float64) {
	var all []float64
	epochs := 0
	for _, r := range slices.Concat(observed, reference) {
		for _, cores := range r.epochs {
			for _, f := range cores {
				all = append(all, f)
			}
		}
	}
	for _, r := range reference {
		epochs += len(r.epochs)
	}
	epochs /= len(reference)
	slices.Sort(all)
	quartile := func(q float64) float64 {
		at := q * float64(len(all)-1)
		low := math.Floor(at)
		return all[int(low)]*(1-(at-low)) + all[int(math.Ceil(at))]*(at-low)
	}
	span := all[len(all)-1] - all[0]
	bins := min(int(span/(2*(quartile(0.75)-quartile(0.25))/math.Cbrt(float64(len(all))))), 21)
	binOf := func(f float64) int { return min(int((f-all[0])*float64(bins)/span), bins-1) }

	// how many of all runs' cores are in a bin at an epoch of the stretched time
	at := func(runs []frequencies, e, bin int) (m int) {
		for _, r := range runs {
			for _, f := range r.epochs[e*len(r.epochs)/epochs] {
				if binOf(f) == bin {
					m++
				}
			}
		}
		return m
	}
	cores := 2 * len(reference)
	characterise := func(runs []frequencies) (tc, sc []float64) {
		for e := range epochs {
			for bin := range bins {
				tc = append(tc, float64(at(runs, e, bin))/float64(cores))
			}
		}
		for bin := range bins {
			for m := range cores + 1 {
				hits := 0
				for e := range epochs {
					if at(runs, e, bin) == m {
						hits++
					}
				}
				sc = append(sc, float64(hits)/float64(epochs))
			}
		}
		return tc, sc
	}
	otc, osc := characterise(observed)
	rtc, rsc := characterise(reference)
	return plainPearson(otc, rtc), float64(len(otc)), plainPearson(osc, rsc), float64(len(osc))
}

// plainPearson is (E[xy] - E[x]E[y]) / (sd[x] sd[y]).
func plainPearson(x, y []float64) float64 {
	var ex, ey, exy, exx, eyy float64
	for i := range x {
		n := float64(len(x))
		ex, ey, exy, exx, eyy = ex+x[i]/n, ey+y[i]/n, exy+x[i]*y[i]/n, exx+x[i]*x[i]/n, eyy+
			y[i]*y[i]/n
	}
	return (exy - ex*ey) / math.Sqrt((exx-ex*ex)*(eyy-ey*ey))
}
