package bpf

import (
	"math"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

const restQuantum = 5 * time.Millisecond

// TestRest: while a program is within the bounds, the ends of quanta are silent until the rest's
// end. Each of the bounds ends the rest when it does not hold.
func TestRest(t *testing.T) {
	s := openStandins(t, len(standinNames))
	const clock, faults = 3, 0 // in standinNames; the clock stands in for instructions
	tr := openTracer(t, Config{Quantum: restQuantum, Counters: s.FDs(), Rests: true,
		Instructions: clock, Requests: faults})
	cmd := exec.Command(compile(t, "../../test/workloads/c/spin.c"), "100000")
	if err := tr.Launch(func() (int, error) {
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		return cmd.Process.Pid, nil
	}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill() // it ran until now
		_ = cmd.Wait()
	}()
	all := Span{High: math.MaxUint64}
	none := Span{Low: math.MaxUint64, High: math.MaxUint64}
	// A thread that never sleeps, however often others have its CPU, runs at most all of the time,
	// and the clock counts a nanosecond each.
	spins := Work{{Low: 1, High: 70_000}, all, {Low: 45_000, High: 85_000}, all}
	for range 20 { // what began with the program's start is over
		tick(t, tr)
	}
	for _, c := range []struct {
		name   string
		within Work
		silent bool
	}{
		{"anything", Work{all, all, all, all}, true}, {"what it does", spins, true},
		{"run time", Work{none, all, all, all}, false},
		{"switches", Work{all, none, all, all}, false},
		{"pace", Work{all, all, none, all}, false}, {"requests", Work{all, all, all, none}, false},
		{"anything again", Work{all, all, all, all}, true},
	} {
		if silent := attempt(t, tr, c.within, c.silent); silent != c.silent {
			t.Errorf("%s: silent to the rest's end: %v", c.name, silent)
		}
	}
}

// attempt reports whether a rest with these bounds was silent to its end. Where it should be there
// are some attempts: on a machine that is busy with other things a program may have run too short
// within a quantum for a rate, and this thread may read in mid-rest what it should have read
// before.
func attempt(t *testing.T, tr *Tracer, within Work, silent bool) bool {
	t.Helper()
	const attempts = 50
	if !silent {
		until := rest(tr, 20*time.Second, restQuantum, within)
		at := tick(t, tr)
		for atomic.LoadUint64(tr.shared.restUntil) != 0 {
			at = tick(t, tr)
		}
		return at >= until
	}
	for range attempts {
		until := rest(tr, 200*time.Millisecond, restQuantum, within)
		tr.Wake() // a bell may have rung before
		tick(t, tr)
		if tick(t, tr) >= until {
			return true
		}
	}
	return false
}

// rest begins a rest of a length, which returns its end.
func rest(tr *Tracer, length, quantum time.Duration, within Work) (until units.Instant) {
	tr.silence = silence{}
	for !tr.silence.resting { // this thread may not have had the CPU for a while
		from := monotonic.Now().Add(length / 2)
		from -= from % units.Instant(quantum)
		until = from.Add(length / 2)
		tr.Rest(from, until, quantum, within)
	}
	return until
}

// tick reads up to the next tick.
func tick(t *testing.T, tr *Tracer) units.Instant {
	t.Helper()
	buf := make([]epochs.Event, 8192)
	for {
		n, err := tr.Next(buf)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 && buf[n-1].Kind == epochs.Tick {
			return buf[n-1].At
		}
	}
}
