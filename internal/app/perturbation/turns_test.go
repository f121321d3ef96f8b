package perturbation

import (
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
