package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// methodTable writes a table of functions that has a method of Turns.
func methodTable(t *testing.T, name, signature string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "table")
	text := fmt.Sprintf(`{"ebb_sensitivity":1,"frequency_hz":4000000000,"functions":[{"name":%q,`+
		`"module":"[java]","class":"Turns","signature":%q,"n":1,"time_ns":1,"share":0.5,`+
		`"share_low":0.5,"share_high":0.5}]}`, name, signature)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestJavaByTable: the methods of a table are found in a real JVM as it compiles them, by class,
// name and signature, in every run anew: each gets the time that the program says it has had, the
// interpreter's and the recompiled code's aside. Another signature is another method. The recording
// replays.
func TestJavaByTable(t *testing.T) {
	devtest.Long(t)
	needRoot(t)
	classes := t.TempDir()
	run(t, "javac", "-d", classes, "testdata/turns/Turns.java")
	for _, c := range []struct {
		name, signature string
		which           int // of the two times that Turns prints; -1: it has no such method
	}{{"chase", "(II)I", 0}, {"compute", "(JI)J", 1}, {"compute", "(II)J", -1}} {
		var known, own float64
		var recording string
		// How soon compiled code is looked up depends on when ebb's processes get a CPU: where
		// that is late, the program runs for longer.
		for seconds := 1.5; seconds <= 24; seconds *= 2 {
			var times [2]float64
			times, known, recording = turnsByTable(t, classes, methodTable(t, c.name, c.signature),
				seconds)
			own = times[max(c.which, 0)]
			t.Logf("%s%s: %.0f ms known; its own %.0f and %.0f ms", c.name, c.signature, known/1e6,
				times[0]/1e6, times[1]/1e6)
			if c.which < 0 || known >= 0.2*own {
				break
			}
		}
		if c.which < 0 {
			if known != 0 {
				t.Errorf("%s%s is known for %.0f ms", c.name, c.signature, known/1e6)
			}
			continue
		}
		if known < 0.2*own || known > 1.1*own+50e6 {
			t.Errorf("%s: known for %.0f ms of its %.0f", c.name, known/1e6, own/1e6)
		}
		if r := ebb(t, "replay", recording); r.code != 0 || strings.Contains(r.stderr, "differ") {
			t.Errorf("replay: %+v", r)
		}
	}
}

// turnsByTable runs Turns by a table, and returns the times in ns that it prints, what ebb knows to
// have run the table's method, and the recording.
func turnsByTable(t *testing.T, classes, table string, seconds float64) (times [2]float64,
	known float64, recording string,
) {
	t.Helper()
	dir := t.TempDir()
	report, recording := filepath.Join(dir, "r.json"), filepath.Join(dir, "r.ebb")
	r := ebb(t, "run", "--quiet", "--sensitivity", table, "--estimator", "functions", "--report",
		report, "--record", recording, "--", "java", "-XX:+UseSerialGC", "-cp", classes, "Turns",
		fmt.Sprint(seconds))
	if _, err := fmt.Sscan(r.stdout, &times[0], &times[1]); r.code != 0 || err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	b, err := os.ReadFile(report)
	var got struct {
		Sensitivity struct {
			Known float64 `json:"known_ns"`
		}
	}
	if err == nil {
		err = json.Unmarshal(b, &got)
	}
	if err != nil {
		t.Fatal(err)
	}
	return times, got.Sensitivity.Known, recording
}
