package vm

import (
	"flag"
	"os/exec"
	"strings"
	"testing"
	"time"
)

var whole = flag.String("whole", "", "`flags` of ebb qualify, with commas, for TestQualifyWhole")

// TestQualifyWhole runs a qualification as its flags say, to its end: "default" are none. It takes
// as long as the plan says, and the emulator's time on top, so it runs on request only.
func TestQualifyWhole(t *testing.T) {
	if *whole == "" {
		t.Skip("WHOLE=default or WHOLE=--full scripts/test-vm.sh runs it")
	}
	settle(t)
	fault(t, "ipc_permille", ownWork)
	quotaGroup(t)
	const dir = "/tmp/whole"
	before := controls(t)
	args := []string{"qualify", "-o", dir}
	if *whole != "default" {
		args = append(args, strings.Split(*whole, ",")...)
	}
	begin := time.Now()
	said, err := exec.Command("/bin/ebb", args...).CombinedOutput()
	t.Logf("%v: %v\n%s", args, time.Since(begin), said)
	if err != nil {
		t.Error(err)
	}
	same(t, controls(t), before)
	for _, s := range resultIn(t, dir).Steps {
		t.Logf("whole: step %d %s after %.1f s", s.Step, s.State, float64(s.TookNS)/1e9)
		if s.State != "finished" {
			t.Errorf("step %d: %s: %s", s.Step, s.State, s.Because)
		}
	}
}
