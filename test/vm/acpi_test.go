package vm

import (
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Debian's own acpi-cpufreq on two CPUs, each with a policy of its own. It has no meter and no PMU,
// and its clock changes nothing; its controls are the real ones.
func TestACPI(t *testing.T) {
	if d, err := filepath.Glob(policies + "policy*"); err != nil || len(d) != 2 {
		t.Fatal("no two policies", err)
	}
	r := command(t, "/bin/ebb", "doctor")
	t.Log(r.out)
	says(t, r.out, "2 domains, driver acpi-cpufreq", "1 GHz to 4 GHz in 13 states",
		"would try setspeed")
	before := controls(t)
	highest := read(t, policies+"policy0/scaling_max_freq")

	// While it runs the policies are where it says; afterwards all is as it was.
	end := begin(t, computeBound.of(1000*long), "--frequency", "2GHz")
	reach(t, 2, "2000000")
	if _, r := end(); r.code != 128+int(unix.SIGTERM) {
		t.Errorf("%+v", r)
	}
	same(t, controls(t), before)

	// Killed, with one policy changed by another program.
	kill(t, 100*time.Millisecond)
	path := policies + "policy1/scaling_max_freq"
	write(t, path, "3000000")
	if r := command(t, "/bin/ebb", "restore"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	before[path] = "3000000\n"
	same(t, controls(t), before)
	put(t, path, highest)
}
