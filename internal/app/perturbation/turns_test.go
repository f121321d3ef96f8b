package perturbation

import (
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// TestUndelayed: a thread's waiting is no part of the time, a sleeper's sleep is; of several
// threads at once each holds up its part.
func TestUndelayed(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		name              string
		wall, ran, waited time.Duration
		want              time.Duration
	}{
		{"busy, alone", 10 * s, 10 * s, 0, 10 * s},
		{"busy, beside another", 20 * s, 10 * s, 10 * s, 10 * s},
		{"mostly asleep", 10 * s, s, s, 9 * s},
		{"never ran", s, 0, 0, s},
		{"two threads on two CPUs, beside two", 20 * s, 20 * s, 20 * s, 10 * s},
		{"the clocks differ a little", 10 * s, 6 * s, 5 * s, 10 * s * 6 / 11},
	} {
		if got := undelayed(tt.wall, tt.ran, tt.waited); got < tt.want-time.Microsecond ||
			got > tt.want+time.Microsecond {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestTurns: what threads did after their last reading is added in proportion; an id that another
// thread has by now counts twice; of a program of which too little was seen nothing is known.
func TestTurns(t *testing.T) {
	const s = time.Second
	var q turns
	if _, known := q.waited(s); known {
		t.Error("nothing was read")
	}
	q.take(1, proc.Turns{Ran: s, Waited: 2 * s})
	q.take(2, proc.Turns{Ran: s, Waited: s})
	q.take(1, proc.Turns{Ran: 2 * s, Waited: 3 * s})
	q.take(2, proc.Turns{Ran: s / 2, Waited: 0}) // another thread
	for _, tt := range []struct {
		cpu, want time.Duration
		known     bool
	}{{3500 * time.Millisecond, 4 * s, true}, {7 * s, 8 * s, true}, {s, 4 * s, true},
		{8 * s, 0, false}} {
		got, known := q.waited(tt.cpu)
		if got != tt.want || known != tt.known {
			t.Errorf("CPU time %v: %v, %t; want %v, %t", tt.cpu, got, known, tt.want, tt.known)
		}
	}
}

// TestWaitedObserved: a CPU that a thread had and did not use is waiting; of waiting for ebb's own
// threads the part stays in the time that it is of the whole; with records lost, or a part of the
// run unobserved, nothing is known.
func TestWaitedObserved(t *testing.T) {
	whole := report.Report{WallNS: 10e9, ProfiledNS: 10e9, DisplacedNS: 1e9,
		ThreadTime: &report.ThreadTime{RunningNS: 5e9, RunnableNS: 3e9, ThrottledNS: 2e9}}
	// It ran for 4 s and waited for 6, one of them for ebb: 4/10 of that one stay.
	if got, known := waitedObserved(&whole, 4*time.Second); got != 5600*time.Millisecond || !known {
		t.Errorf("%v, %t", got, known)
	}
	idle := report.Report{WallNS: 10e9, ProfiledNS: 10e9, DisplacedNS: 1e8,
		ThreadTime: &report.ThreadTime{RunningNS: 9.9e9, RunnableNS: 1e8}}
	if got, known := waitedObserved(&idle, 9900*time.Millisecond); got > time.Millisecond ||
		!known {
		t.Errorf("nobody but ebb was there, and it waited for others for %v, %t", got, known)
	}
	lost, part, none := whole, whole, whole
	lost.LostRecords, part.ProfiledNS, none.ThreadTime = 1, 5e9, nil
	for _, r := range []*report.Report{&lost, &part, &none} {
		if got, known := waitedObserved(r, time.Second); known {
			t.Errorf("%v of %+v", got, r)
		}
	}
}

// TestStolenTime: where a hypervisor took more than one in 200 of the CPU time of all programs in a
// round, and the kernel's tick, the two accounts of waiting differ, and neither is used. It is the
// same whichever run it took it from.
func TestStolenTime(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		stolen, busy time.Duration
		want         bool
	}{{0, 0, false}, {10 * time.Millisecond, s / 10, false}, {s, 10 * s, true},
		{50 * time.Millisecond, 10 * s, false}, {70 * time.Millisecond, 10 * s, true}} {
		held, other := cpus{tt.busy / 2, tt.stolen}, cpus{tt.busy / 2, 0}
		if a, b := tooMuch(held, other), tooMuch(other, held); a != tt.want || b != tt.want {
			t.Errorf("%v of %v: %t, %t", tt.stolen, tt.busy, a, b)
		}
	}
	a, b := oneRun{wall: s, undelayed: s, machine: cpus{s, s}}, oneRun{wall: s, undelayed: s}
	row := (&Search{}).compare(8, []oneRun{b, b, b, a, b}, []oneRun{b, b, b, b, a})
	if row.Undelayed.N != 3 || row.Hidden != 0 {
		t.Errorf("%d rounds, %d hidden", row.Undelayed.N, row.Hidden)
	}
}

// TestFirstRoundsChoose: the first rounds choose whether the time without waiting is judged. Later
// ones in which it is not known are hidden, and later ones in which it is change nothing.
func TestFirstRoundsChoose(t *testing.T) {
	const known, unknown = time.Second, time.Duration(0)
	for name, tt := range map[string]struct {
		undelayed []time.Duration
		rounds    int // of which the time without waiting is made; 0: it is not judged
	}{
		"all":                    {[]time.Duration{known, known, known, known}, 4},
		"none":                   {[]time.Duration{unknown, unknown, unknown, unknown}, 0},
		"one of the first fails": {[]time.Duration{known, unknown, known, known}, 3},
		"two of the first fail":  {[]time.Duration{known, unknown, unknown, known, known}, 0},
		"later ones fail":        {[]time.Duration{known, known, known, unknown, unknown}, 3},
		"the first":              {[]time.Duration{known}, 1},
	} {
		var runs []oneRun
		for _, d := range tt.undelayed {
			runs = append(runs, oneRun{wall: 2 * time.Second, undelayed: d})
		}
		row := (&Search{}).compare(8, runs, runs)
		hidden := 0
		if tt.rounds > 0 {
			hidden = len(tt.undelayed) - tt.rounds
		}
		if row.Undelayed.N != tt.rounds || row.Time.N != len(tt.undelayed) ||
			row.Hidden != hidden {
			t.Errorf("%s: %d rounds without waiting, %d with; want %d, %d", name, row.Undelayed.N,
				row.Time.N, tt.rounds, len(tt.undelayed))
		}
	}
}

// TestRunsWithHidden: where rounds hide the time without waiting, a search with a number of runs
// judges the whole time, and says so.
func TestRunsWithHidden(t *testing.T) {
	var runs []oneRun
	for _, d := range []time.Duration{1, 1, 1, 0} {
		runs = append(runs, oneRun{wall: 2 * time.Second, undelayed: d * time.Second})
	}
	s := &Search{Settings: Settings{Runs: len(runs)}}
	row := s.compare(8, runs, runs)
	if row.Undelayed.Known() || row.Hidden != 1 {
		t.Errorf("%+v, %d hidden", row.Undelayed, row.Hidden)
	}
	var b strings.Builder
	if err := s.WriteText(&b, []Row{row}, 100); err != nil ||
		!strings.Contains(b.String(), "1 round of 4 did not show") ||
		strings.Contains(b.String(), "as the worst") {
		t.Errorf("%v: %s", err, b.String())
	}
}

// TestUnknownRoundsDoNotCount: a period is given up after so many rounds whose time is known, and
// not because others were made.
func TestUnknownRoundsDoNotCount(t *testing.T) {
	s := &Search{Settings: Settings{AtMost: time.Hour}, longest: time.Second, now: time.Now,
		began: time.Now()}
	s.outlook.learn([]float64{0.01, -0.01, 0.01, -0.01})
	most := giveUp*s.outlook.disturbed() + 1
	row := &Row{logs: make([][2]float64, most-1)}
	if s.another(row, most+1, false) != s.another(row, most, false) {
		t.Error("a round that is not known counts")
	}
	if row.logs = make([][2]float64, most); s.another(row, most, false) {
		t.Errorf("not given up after %d rounds", most)
	}
	if row.logs = row.logs[:fewest-1]; !s.another(row, most+1, false) {
		t.Error("given up for rounds that are not known")
	}
}
