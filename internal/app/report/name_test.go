package report

import (
	"strings"
	"testing"
)

// TestNameInAPIDNamespace: a target of which nothing could be read is called what the user called
// it, and the headline has both ids.
func TestNameInAPIDNamespace(t *testing.T) {
	r := Report{Command: "pid 7", PID: 4711, OwnPID: 7}
	if name := r.Name(); name != "pid 7" {
		t.Errorf("it is called %q", name)
	}
	if line := r.headline(); !strings.HasPrefix(line,
		"pid 7 (process 4711, 7 in ebb's PID namespace)") {
		t.Errorf("the headline is %q", line)
	}
	r = Report{Command: "/bin/sleep 7", PID: 4711}
	if line := r.headline(); !strings.HasPrefix(line, "sleep (process 4711), ") {
		t.Errorf("the headline is %q", line)
	}
}
