package vm

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Sizes of a load, in iterations: of a run in which the control is judged, for some 2 s at the
// highest frequency, of other governed runs, and of a point of a sweep.
const (
	long   = 90_000_000
	medium = 30_000_000
	short  = 6_000_000
)

var (
	// at the lowest frequency it takes 1.3 times as long as at the highest
	memoryBound  = load{phases: []string{"memory@900"}, iterations: long}
	computeBound = load{phases: []string{"compute@0"}, iterations: long} // 4 times
	// Two kinds of work, some 100 ms of each in turn.
	mixed = load{phases: []string{"memory@900", "compute@0"}, iterations: long}
)

// load is the names of a load's phases and its size; see load.c.
type load struct {
	phases     []string
	iterations int
	threads    int  // each runs all iterations; 0 for one
	times      int  // the phases come in turn; 0 for as many as give some 100 ms of each
	longest    int  // phases of random length are up to so many times as long; 0: all are alike
	sorts      bool // it is functions/sort.c, of so many rounds
	java       bool // it is java/Alternating.java
}

// program is the load's file.
func (l load) program() string {
	switch {
	case l.sorts:
		return "/bin/sort"
	case l.java:
		return "/java/bin/java"
	}
	return "/bin/load"
}

func (l load) of(iterations int) load { l.iterations = iterations; return l }

func (l load) on(threads int) load { l.threads = threads; return l }

func (l load) args() []string {
	if l.sorts {
		return []string{strconv.Itoa(l.times)}
	}
	if l.java {
		return append(slices.Clone(javaFlags), "-cp", "/java", "Alternating",
			strconv.Itoa(l.iterations), strconv.Itoa(l.times), strconv.Itoa(l.longest),
			strconv.Itoa(l.threads))
	}
	times := 1
	if len(l.phases) > 1 {
		times = max(1, l.iterations/(long/10))
	}
	if l.times > 0 {
		times = l.times
	}
	var args []string
	for _, name := range l.phases {
		args = append(args, name, strconv.Itoa(l.iterations/times/len(l.phases)))
	}
	return append(args, "x"+strconv.Itoa(times), "t"+strconv.Itoa(max(1, l.threads)),
		"r"+strconv.Itoa(l.longest))
}

// quantum of the governed runs. The virtual machine's processor does 500 million instructions a
// second, so that what ebb does in a quantum is ten times as long as on a real one, and more; the
// quantum is longer too.
const quantum = "50ms"

// at runs a load without ebb, with the clock kept at a frequency.
func at(t testing.TB, khz int, l load) usage {
	t.Helper()
	keep(t, khz)
	r := command(t, l.program(), l.args()...)
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	return usageOf(t, r.out)
}

// report is what the tests read of ebb's report.
type report struct {
	Actuator, Estimator string
	ActuatorReason      string `json:"actuator_reason"`
	Counters            []string
	SettleNote          string `json:"settle_note"`
	WallNS              int64  `json:"wall_ns"`
	LostRecords         int    `json:"lost_records"`
	MemoryRead          uint64 `json:"memory_read_bytes"`
	MemoryWritten       uint64 `json:"memory_written_bytes"`
	HoleQuanta          int    `json:"hole_quanta"`

	SlowdownPredicted float64 `json:"slowdown_predicted"`
	SlowdownOwn       float64 `json:"slowdown_own"`
	SlowdownTotal     float64 `json:"slowdown_total"`
	DisplacedNS       int64   `json:"displaced_ns"`
	TracedNS          int64   `json:"traced_ns"`
	InterruptNS       int64   `json:"interrupt_ns"`

	Sensitivity *struct {
		KnownNS   int64 `json:"known_ns"`
		RunningNS int64 `json:"running_ns"`
		Visits    int
		Samples   int
		Verdict   string

		DroppedAfterNS int64 `json:"dropped_after_ns"`
	}

	Energy []struct {
		Zone, Source, Problem string
		EnergyNJ              float64 `json:"energy_nj"`
		Frozen                bool
		Resets                int
	}
	Frequencies []struct {
		FreqHz float64 `json:"freq_hz"`
		TimeNS float64 `json:"time_ns"`
	}
	Drops  map[string]int
	Quanta []struct {
		FreqHz float64 `json:"freq_hz"`
	}
	Threads []struct {
		RunNS int64 `json:"run_ns"`
	}
	Foreign []struct {
		Policy  int
		Control string
		Value   string
	} `json:"foreign_changes"`
	Refusals, Warnings []string

	Source struct {
		Taken   string
		Trained *struct {
			EnergyNJ int64 `json:"energy_nj"`
			LowNJ    int64 `json:"low_nj"`
			HighNJ   int64 `json:"high_nj"`
			Windows  int
			Outside  int `json:"outside_windows"`
		}
	} `json:"power_source"`

	MeterComparisons int `json:"meter_comparisons"`
	Verdict          struct {
		Answer, Line string
		Saved        float64
		Lo           float64 `json:"saved_lo"`
		Hi           float64 `json:"saved_hi"`
	}
}

// warned is what ebb warns of, but for what the host's minute decides: a virtual CPU that has to
// wait on the host between the readings of its clock and its counters has too few cycles in one
// quantum and too many in the next, so ebb asks once more for what it has; and a host without time
// makes ebb itself dear.
func (r *report) warned() []string {
	return slices.DeleteFunc(slices.Clone(r.Warnings), func(w string) bool {
		return strings.Contains(w, "the clock followed when ebb repeated them") ||
			strings.Contains(w, "ebb itself cost the program")
	})
}

// run has ebb run a load and reads its report.
func run(t testing.TB, l load, flags ...string) (report, result) {
	t.Helper()
	const file = "/tmp/report.json"
	_ = os.Remove(file)
	args := append([]string{"run", "-v", "--report", file}, flags...)
	if !slices.Contains(flags, "--quantum") {
		args = append(args, "--quantum", quantum)
	}
	r := command(t, "/bin/ebb", append(append(args, "--", l.program()), l.args()...)...)
	var rep report
	if b, err := os.ReadFile(file); err != nil {
		t.Errorf("%v: %+v", err, r)
	} else if err := json.Unmarshal(b, &rep); err != nil {
		t.Error(err)
	}
	return rep, r
}

// governed runs a load under ebb to its end, after which the machine is as before.
func governed(t testing.TB, l load, flags ...string) (usage, report, result) {
	t.Helper()
	before := controls(t)
	rep, r := run(t, l, flags...)
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	same(t, controls(t), before)
	return usageOf(t, r.out), rep, r
}

// fixed runs a load under ebb at one frequency.
func fixed(t testing.TB, l load, khz int) usage {
	t.Helper()
	u, _, _ := governed(t, l, "--frequency", fmt.Sprintf("%dMHz", khz/1000))
	return u
}

// highest runs a load under ebb at the highest frequency; once for a load, as every run of it is
// the same.
func highest(t testing.TB, l load) usage {
	t.Helper()
	key := l.program() + " " + strings.Join(l.args(), " ")
	if _, ok := highests[key]; !ok {
		settle(t)
		highests[key] = fixed(t, l, states(t)[0])
	}
	return highests[key]
}

var highests = map[string]usage{}

// bestUnderEbb is bestStatic as it is under ebb, where a slowdown is against the highest frequency
// under ebb: a short load's may be too low for a long one.
func bestUnderEbb(t testing.TB, l load, slowdown float64) (khz int, u usage) {
	t.Helper()
	all, most := states(t), highest(t, l).time.Seconds()*(1+slowdown)
	for i := slices.Index(all, bestStatic(t, l, slowdown)); ; i-- {
		if u = fixed(t, l, all[i]); i == 0 || u.time.Seconds() <= most {
			return all[i], u
		}
	}
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
