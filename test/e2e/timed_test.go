package e2e

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// mostRuns bounds how often a run is repeated whose end could not be seen in time.
const mostRuns = 10

// governTimed is govern, and repeats it where the times do not fit. ebb's time lasts until the
// program's last thread has left its CPU, and the process is over some microseconds before;
// milliseconds, where another program takes the CPU from that thread, from ebb or from this test.
func governTimed(t *testing.T, flags []string, target []string) (runReport, truth) {
	t.Helper()
	for run := 1; ; run++ {
		r, tr := govern(t, flags, target)
		err := times(&r, &tr)
		if err == nil {
			return r, tr
		}
		if run == mostRuns {
			t.Error(err)
			return r, tr
		}
		t.Log("once more: ", err)
	}
}

// times compares when the run began and ended with what was seen.
func times(r *runReport, tr *truth) error {
	if tr.ended == 0 {
		return errors.New("nobody saw the process end")
	}
	// The target's time begins with stamp's exec, a little before stamp's line. The time may have
	// been stolen from this test.
	slack := time.Duration(tr.ended-tr.began)/1000 + tr.stolen
	if early := time.Duration(tr.began - r.StartedNS); early < -slack || early > tr.before+slack {
		return fmt.Errorf("began %v before stamp's line, %v at the most: more than 0.1 %% of the "+
			"wall time apart (%v stolen)", early, tr.before, tr.stolen)
	}
	late := time.Duration(r.StartedNS + r.WallNS - tr.ended)
	if late < -slack-tr.waited || late > slack {
		return fmt.Errorf("ended %v after the process: more than 0.1 %% of the wall time apart "+
			"(%v stolen, %v waited)", late, tr.stolen, tr.waited)
	}
	return nil
}

// waitedForCPU is the time for which this thread could run and had no CPU.
func waitedForCPU(t *testing.T) time.Duration {
	t.Helper()
	b, err := os.ReadFile("/proc/thread-self/schedstat")
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(b)) // run, waited, slices
	if len(fields) != 3 {
		t.Fatalf("schedstat: %q", b)
	}
	return time.Duration(atoi(t, fields[1]))
}
