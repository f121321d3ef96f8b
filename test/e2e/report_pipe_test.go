package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestReportIntoAPipe: ebb writes to a file that is not regular, and does not replace it. /dev/null
// must stay /dev/null.
func TestReportIntoAPipe(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	// Open for both, so that neither side waits for the other.
	pipe, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if r := ebb(t, "run", "--quiet", "--report", path, "--", "true"); r.code != 0 {
		t.Errorf("status %d: %s", r.code, r.stderr)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Fatalf("the pipe was replaced by %v (%v)", info.Mode(), err)
	}
	var r runReport
	if err := json.NewDecoder(pipe).Decode(&r); err != nil || r.WallNS <= 0 {
		t.Errorf("%v, wall %d ns", err, r.WallNS)
	}
	onlyFiles(t, dir, "pipe")
}
