package host

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/governor/live"
)

// TestOrdinaryPriority: what is measured has the priority that it has for a user, although ebb
// reads the clock ahead of ordinary threads.
func TestOrdinaryPriority(t *testing.T) {
	undo, err := live.Prioritise()
	if err != nil {
		t.Skip("needs root: ", err)
	}
	undo()
	out := filepath.Join(t.TempDir(), "policy")
	errors, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer errors.Close()
	r := &Runner{errors: errors, patience: patience}
	if _, err := r.start(context.Background(), []string{"sh", "-c",
		"grep policy /proc/$$/sched > " + out}); err != nil {
		// A kernel without CONFIG_SCHED_DEBUG has no such file.
		if _, statErr := os.Stat("/proc/self/sched"); statErr != nil {
			t.Skip(statErr)
		}
		t.Fatal(err)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if fields := strings.Fields(string(b)); len(fields) != 3 || fields[2] != "0" {
		t.Errorf("%s, want SCHED_OTHER (0)", b)
	}
}
