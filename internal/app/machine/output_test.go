package machine

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/command"
)

// TestOutputOutOfReach: a file that cannot be replaced for some windows costs a sentence, and not
// the account; it has the next window that can be written.
func TestOutputOutOfReach(t *testing.T) {
	possible(t)
	root, turn := meterTree(t)
	s := settings(root)
	s.JSON = true
	top := t.TempDir()
	gone, taken := filepath.Join(top, "gone"), filepath.Join(top, "jobs")
	if err := os.Mkdir(gone, 0o755); err != nil {
		t.Fatal(err)
	}
	s.Textfile, s.SlurmFile = filepath.Join(gone, "ebb.prom"), taken
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out := &lines{left: 8, end: cancel}
	out.turn = func(uj int) {
		turn(uj)
		switch uj {
		case 2e6: // before the second window is written
			if err := os.RemoveAll(gone); err != nil {
				t.Error(err)
			}
			if err := os.Remove(taken); err != nil {
				t.Error(err)
			}
			if err := os.MkdirAll(filepath.Join(taken, "in the way"), 0o755); err != nil {
				t.Error(err)
			}
		case 6e6:
			if err := os.Mkdir(gone, 0o755); err != nil {
				t.Error(err)
			}
			if err := os.RemoveAll(taken); err != nil {
				t.Error(err)
			}
		}
	}
	var said bytes.Buffer
	if err := Execute(ctx, s, command.Stdio{Out: out, Err: &said}); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(said.String()), " ")
	for _, path := range []string{s.Textfile, s.SlurmFile} {
		if n := strings.Count(text, path+" has no new window"); n != 1 {
			t.Errorf("%s: %d sentences: %s", filepath.Base(path), n, text)
		}
		if b, err := os.ReadFile(path); err != nil || len(b) == 0 {
			t.Errorf("it was not written again: %v, %q", err, b)
		}
	}
	if n := strings.Count(out.String(), "\n"); n < 8 {
		t.Errorf("%d lines", n)
	}
}
