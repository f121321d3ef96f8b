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

// flips is a writer of lines that hides a directory after the first and shows it again after the
// third.
type flips struct {
	lines
	dir string
	bad error
}

func (f *flips) Write(b []byte) (int, error) {
	from, to := f.dir, f.dir+".hidden"
	switch f.left {
	case 5:
		f.bad = os.Rename(from, to)
	case 3:
		if f.bad == nil {
			f.bad = os.Rename(to, from)
		}
		for _, name := range []string{"ebb.prom", "jobs"} { // only a new one will be there
			_ = os.Remove(filepath.Join(from, name))
		}
	}
	return f.lines.Write(b)
}

// TestFilesThatCannotBeReplaced: they end no account. Each is named once, and once it can, it is
// written again.
func TestFilesThatCannotBeReplaced(t *testing.T) {
	possible(t)
	root, turn := meterTree(t)
	dir := filepath.Join(t.TempDir(), "files")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := settings(root)
	s.JSON, s.Textfile = true, filepath.Join(dir, "ebb.prom")
	s.SlurmFile = filepath.Join(dir, "jobs")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var said bytes.Buffer
	out := &flips{lines: lines{left: 5, turn: turn, end: cancel}, dir: dir}
	if err := Execute(ctx, s, command.Stdio{Out: out, Err: &said}); err != nil || out.bad != nil {
		t.Fatal(err, out.bad)
	}
	if n := strings.Count(out.String(), "\n"); n < 5 {
		t.Errorf("%d lines", n)
	}
	text := strings.Join(strings.Fields(said.String()), " ")
	for _, flag := range []string{"--textfile", "--slurm-file"} {
		if strings.Count(text, flag+" is not replaced") != 1 {
			t.Errorf("of %s: %q", flag, text)
		}
	}
	for _, file := range []string{s.Textfile, s.SlurmFile} {
		if st, err := os.Stat(file); err != nil || st.Size() == 0 {
			t.Errorf("it is not written again: %v", err)
		}
	}
}
