package calls_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/calls/layout"
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
	want := fmt.Sprintln(int64(layout.Size), layout.ClaimsAt, layout.SegmentsAt, layout.SegmentSize,
		layout.EntriesAt, layout.EntrySize, layout.RecordsAt, layout.RecordSize, layout.PeriodAt,
		layout.RefusedAt, layout.UnopenedAt, layout.Segments, layout.Entries, layout.Ring)
	if string(said) != want {
		t.Errorf("C says %s, Go %s", strings.TrimSpace(string(said)), want)
	}
}
