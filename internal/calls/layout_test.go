package calls_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/instrumented"
)

// TestLayout compares both languages' ideas of the memory.
func TestLayout(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("there is no gcc")
	}
	out := filepath.Join(t.TempDir(), "layout")
	run(t, exec.Command("gcc", "-Iruntime", "testdata/layout.c", "-o", out))
	said, err := exec.Command(out).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintln(int64(instrumented.MemorySize), instrumented.ClaimsAt,
		instrumented.SegmentsAt, instrumented.SegmentSize, instrumented.EntriesAt,
		instrumented.EntrySize, instrumented.RecordsAt, instrumented.RecordSize,
		instrumented.PeriodAt, instrumented.RefusedAt, instrumented.UnopenedAt,
		instrumented.Segments, instrumented.Entries, instrumented.Ring)
	if string(said) != want {
		t.Errorf("C says %s, Go %s", strings.TrimSpace(string(said)), want)
	}
}
