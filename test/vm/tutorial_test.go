package vm

import (
	"strings"
	"testing"
	"time"
)

// TestTutorial runs the commands of docs/tutorial.md on a machine that has a clock to set, counters
// and a meter. Its log has what they print there, which the page quotes.
func TestTutorial(t *testing.T) {
	before := controls(t)
	show := func(code int, phrases []string, args ...string) {
		t.Helper()
		r := command(t, "/bin/ebb", args...)
		page := r.out + r.err
		t.Logf("$ ebb %s\n%s", strings.Join(args, " "), page)
		if r.code != code {
			t.Errorf("%v: status %d", args, r.code)
		}
		says(t, page, phrases...)
		same(t, controls(t), before)
	}
	work := append([]string{"--", "/bin/load"}, memoryBound.args()...)
	with := func(args ...string) []string { return append(args, work...) }

	show(0, []string{"frequency good", "counters good", "energy meter good", "actuator good",
		"next: sudo ebb run"}, "doctor")
	show(0, []string{"settle time good", "by cycles"}, "doctor", "--measure")
	show(0, []string{"nothing is written: asked for", "ebb set no clock"},
		with("run", "-v", "--shadow", "--quantum", quantum)...)
	show(0, []string{"setting the frequency by setspeed", "comparisons with the highest frequency"},
		with("run", "-v", "--quantum", quantum, "--methods", "--report", "/tmp/r.json")...)
	show(0, []string{"measured"}, "report", "/tmp/r.json")

	kill(t, time.Second) // the settle time is measured by then
	show(0, []string{"policy0 scaling_governor: restored"}, "restore")
	show(0, []string{"nothing to restore"}, "restore")
}
