package vm

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
)

// Sizes of a load, in iterations: of a run in which the control is judged, for some 2 s at the highest frequency, of other
// governed runs, and of a point of a sweep.
const (
	long   = 90_000_000
	medium = 30_000_000
	short  = 6_000_000
)

var (
	memoryBound  = load{[]string{"memory@900"}, long} // at the lowest frequency it takes 1.3 times as long as at the highest
	computeBound = load{[]string{"compute@0"}, long}  // 4 times
	// Two kinds of work, some 100 ms of each in turn.
	mixed = load{[]string{"memory@900", "compute@0"}, long}
)

// load is the names of a load's phases and its size; see load.c.
type load struct {
	phases     []string
	iterations int
}

func (l load) of(iterations int) load { return load{l.phases, iterations} }

func (l load) args() []string {
	times := 1
	if len(l.phases) > 1 {
		times = max(1, l.iterations/(long/10))
	}
	var args []string
	for _, name := range l.phases {
		args = append(args, name, strconv.Itoa(l.iterations/times/len(l.phases)))
	}
	return append(args, "x"+strconv.Itoa(times))
}

// quantum of the governed runs. The virtual machine's processor does 500 million instructions a second, so that what ebb
// does in a quantum is ten times as long as on a real one; the quantum is longer too.
const quantum = "40ms"

// at runs a load without ebb, with the clock kept at a frequency.
func at(t testing.TB, khz int, l load) usage {
	t.Helper()
	keep(t, khz)
	r := command(t, "/bin/load", l.args()...)
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	return usageOf(t, r.out)
}

// report is what the tests read of ebb's report.
type report struct {
	Actuator, Estimator string
	Counters            []string
	SettleNote          string `json:"settle_note"`
	WallNS              int64  `json:"wall_ns"`
	LostRecords         int    `json:"lost_records"`
	HoleQuanta          int    `json:"hole_quanta"`
	Energy              []struct {
		Zone, Source string
		EnergyNJ     float64 `json:"energy_nj"`
	}
	Frequencies []struct {
		FreqHz float64 `json:"freq_hz"`
		TimeNS float64 `json:"time_ns"`
	}
	Refusals, Warnings []string
}

// governed runs a load under ebb.
func governed(t testing.TB, l load, flags ...string) (usage, report, result) {
	t.Helper()
	const file = "/tmp/report.json"
	args := append([]string{"run", "--report", file, "--quantum", quantum}, flags...)
	before := controls(t)
	r := command(t, "/bin/ebb", append(append(args, "--", "/bin/load"), l.args()...)...)
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	same(t, controls(t), before)
	var rep report
	if b, err := os.ReadFile(file); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(b, &rep); err != nil {
		t.Fatal(err)
	}
	return usageOf(t, r.out), rep, r
}

// fixed runs a load under ebb at one frequency.
func fixed(t testing.TB, l load, khz int) usage {
	t.Helper()
	u, _, _ := governed(t, l, "--frequency", fmt.Sprintf("%dMHz", khz/1000))
	return u
}

// bestStatic is the frequency with the least energy of those that keep a load within a slowdown.
func bestStatic(t testing.TB, l load, slowdown float64) int {
	t.Helper()
	settle(t)
	var top usage
	best, least := 0, math.Inf(1)
	for i, khz := range states(t) {
		u := at(t, khz, l.of(short))
		if i == 0 {
			top = u
		}
		if u.time.Seconds() > top.time.Seconds()*(1+slowdown) {
			break // lower ones are slower still
		}
		if u.joules() < least {
			best, least = khz, u.joules()
		}
	}
	return best
}

// The loop is closed: the tracer, the counters that are read at the switch, the decision, the clock, the work. All runs that
// are compared are under ebb, so that what it costs in an emulated processor is in all of them; it is shown.
func TestBudget(t *testing.T) {
	for _, l := range []load{memoryBound, computeBound} {
		t.Run(l.phases[0], func(t *testing.T) {
			best, highest := bestStatic(t, l, 0.05), states(t)[0]
			plain, top, static := at(t, highest, l), fixed(t, l, highest), fixed(t, l, best)
			u, rep, r := governed(t, l, "--slowdown", "5%")
			slow, worse := u.time.Seconds()/top.time.Seconds()-1, u.joules()/static.joules()-1
			t.Logf("without ebb at %d kHz: %v", highest, plain)
			t.Logf("at %d kHz: %v: ebb costs %.1f %% of the time", highest, top, 100*(top.time.Seconds()/plain.time.Seconds()-1))
			t.Logf("at %d kHz: %v", best, static)
			t.Logf("governed: %v: slowdown %.2f %%, energy %+.1f %% against the best static, %+.1f %% against the highest frequency", u, 100*slow,
				100*worse, 100*(u.joules()/top.joules()-1))
			if slow > 0.055 {
				t.Errorf("the slowdown is %.2f %%", 100*slow)
			}
			if worse > 0.03 {
				t.Errorf("%.1f %% more energy than at %d kHz", 100*worse, best)
			}
			if u.joules() > top.joules() {
				t.Errorf("more energy than at the highest frequency")
			}
			checkReport(t, &rep, u)
			t.Log(r.err)
		})
	}
}

// Two kinds of work in turn: the budget holds over both, and is spent where it saves more than a single frequency could.
func TestPhases(t *testing.T) {
	settle(t)
	top := fixed(t, mixed, states(t)[0])
	u, rep, r := governed(t, mixed, "--slowdown", "5%")
	slow, saved := u.time.Seconds()/top.time.Seconds()-1, 1-u.joules()/top.joules()
	t.Logf("governed: %v: slowdown %.2f %%, %.1f %% less energy than at the highest frequency", u, 100*slow, 100*saved)
	if slow > 0.06 || saved < 0.04 {
		t.Errorf("slowdown %.2f %%, %.1f %% saved", 100*slow, 100*saved)
	}
	checkReport(t, &rep, u)
	t.Log(r.err)
}

// checkReport compares what ebb says with what the load has seen.
func checkReport(t *testing.T, rep *report, u usage) {
	t.Helper()
	if rep.Actuator != "setspeed" || rep.Estimator != "counters" || len(rep.Counters) != 6 {
		t.Errorf("actuator %s, estimator %s, counters %v", rep.Actuator, rep.Estimator, rep.Counters)
	}
	if rep.LostRecords != 0 || rep.HoleQuanta != 0 {
		t.Errorf("%d records lost, %d quanta with holes", rep.LostRecords, rep.HoleQuanta)
	}
	// Ebb first reads the meters when it hears of the load's begin, up to a quantum later: some 2 % of a run.
	for zone, want := range map[string]float64{"package-0": u.package_, "dram-0": u.dram} {
		if got := rep.measured(zone); math.Abs(got/want-1) > 0.04 {
			t.Errorf("%s: ebb measured %.3f J, the load %.3f J", zone, got, want)
		}
	}
}

// measured is a zone's energy in J, 0 when there is none.
func (r *report) measured(zone string) float64 {
	for _, e := range r.Energy {
		if e.Zone == zone && e.Source == "measured" {
			return e.EnergyNJ / 1e9
		}
	}
	return 0
}

// The least energy of processor, memory and platform is inside the range of frequencies: lower ones take longer, and the
// platform draws all the time.
func TestSystemEnergy(t *testing.T) {
	const watts = 4
	settle(t)
	total := func(u usage) float64 { return u.joules() + watts*u.time.Seconds() }
	all := states(t)
	best, least := 0, math.Inf(1)
	for i, khz := range all {
		if e := total(at(t, khz, memoryBound.of(short))); e < least {
			best, least = i, e
		}
	}
	if best == 0 || best == len(all)-1 {
		t.Fatalf("the least energy is at the range's end, %d kHz", all[best])
	}
	static := fixed(t, memoryBound, all[best])
	u, rep, r := governed(t, memoryBound, "--minimize", "system-energy", "--platform-power", fmt.Sprint(watts, "W"))
	worse := total(u)/total(static) - 1
	t.Logf("at %d kHz: %v, %.2f J with the platform", all[best], static, total(static))
	t.Logf("governed: %v, %.2f J, %+.1f %%", u, total(u), 100*worse)
	if worse > 0.03 {
		t.Errorf("%.1f %% more energy than at %d kHz", 100*worse, all[best])
	}
	checkReport(t, &rep, u)
	t.Log(r.err)
}
