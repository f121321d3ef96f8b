package e2e

import (
	"strconv"
	"testing"
)

func TestKnownWaitsAreCountedExactly(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	const waits = 1000
	for i := range 20 {
		r, tr := govern(t, nil, workload(t, "waits", strconv.Itoa(waits)))
		if *r.LostRecords != 0 {
			t.Errorf("run %d: %d lost records", i, *r.LostRecords)
		}
		for _, th := range r.Threads {
			want := uint64(0) // the waker spins
			if tr.threads[th.TID].role == "sleeper" {
				want = waits
			}
			if th.FutexSleeps != want {
				t.Errorf("run %d: thread %d (%s) slept %d times in futex waits, want %d", i, th.TID,
					tr.threads[th.TID].role, th.FutexSleeps, want)
			}
		}
	}
}

func TestFutexSleepsMatchTheKernelsSwitches(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	r, tr := govern(t, nil, workload(t, "pingpong", "50000"))
	if len(tr.threads) != 2 {
		t.Fatalf("%d thread lines:\n%s", len(tr.threads), tr.output)
	}
	for _, th := range r.Threads {
		want, ok := tr.threads[th.TID]
		if ok && th.FutexSleeps != uint64(want.voluntary) {
			t.Errorf("%s slept %d times in futex waits; the kernel counted %d voluntary switches",
				want.role, th.FutexSleeps, want.voluntary)
		}
	}
}

func TestNeverSleepingProgramHasNoSleeps(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	r, tr := governTimed(t, nil, workload(t, "spin", "1000"))
	checkTotals(t, r)
	checkThreads(t, r, tr)
	for _, th := range r.Threads {
		if th.FutexSleeps != 0 {
			t.Errorf("thread %d: %d futex sleeps", th.TID, th.FutexSleeps)
		}
	}
}
