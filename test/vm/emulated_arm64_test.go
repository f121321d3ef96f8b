package vm

import (
	"encoding/json"
	"os"
	"testing"
)

// Tests of another architecture, in a machine that is emulated: tools/test-arm64.sh boots it. It
// has two CPUs, and no clock to set, counters or meter.

// TestEmulatedDoctor: all programs load, and ebb runs in shadow mode.
func TestEmulatedDoctor(t *testing.T) {
	r := command(t, "/bin/ebb", "doctor")
	t.Log(r.out)
	says(t, r.out, "tracing good", "network good", "JVM probes good", "counters missing",
		"ebb run warning shadow mode")
	if r.code != 0 {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
}

// TestEmulatedRun: nothing of a run is lost, its threads' sleeps are recognised by their system
// calls, and its recording replays.
func TestEmulatedRun(t *testing.T) {
	const file, recording = "/tmp/report.json", "/tmp/run.ebb"
	r := command(t, "/bin/ebb", "run", "--report", file, "--record", recording, "--quantum",
		quantum, "--", "/bin/threads")
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	var rep struct {
		LostRecords int `json:"lost_records"`
		Threads     []struct {
			FutexSleeps int   `json:"futex_sleeps"`
			RunNS       int64 `json:"run_ns"`
		}
	}
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &rep)
	}
	if err != nil {
		t.Fatal(err)
	}
	sleeps := 0
	for _, th := range rep.Threads {
		sleeps += th.FutexSleeps
	}
	t.Logf("%d threads, %d futex sleeps; %s", len(rep.Threads), sleeps, r.err)
	if rep.LostRecords != 0 || len(rep.Threads) < 4 || sleeps == 0 {
		t.Errorf("%d records lost, %d threads, %d futex sleeps", rep.LostRecords, len(rep.Threads),
			sleeps)
	}
	if r := command(t, "/bin/ebb", "replay", recording); r.code != 0 {
		t.Errorf("it does not replay: %+v", r)
	}
}

// TestEmulatedMethods: energy goes to the function that computes, by frame pointers.
func TestEmulatedMethods(t *testing.T) {
	r := command(t, "/bin/ebb", "run", "--methods", "--quantum", quantum, "-v", "--",
		"/bin/threads")
	t.Log(r.err)
	if r.code != 0 {
		t.Fatalf("exit %d", r.code)
	}
	says(t, r.err, "main.compute")
}

// TestEmulatedProbe: each hit of a probe is counted (TestPerHit of package jvm).
func TestEmulatedProbe(t *testing.T) {
	r := command(t, "/bin/jvm", "-test.v", "-test.run=TestPerHit")
	t.Log(r.out)
	if r.code != 0 {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
	says(t, r.out, "--- PASS: TestPerHit")
}
