package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// systemd takes the unit files as they are, with nothing to warn of: it ignores a directive that it does not know.
func TestUnitFiles(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("no systemd-analyze")
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	verify := func(path string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		out, err := exec.CommandContext(ctx, "systemd-analyze", "verify", "--man=no", path).CombinedOutput()
		if err != nil {
			t.Errorf("systemd-analyze verify %s: %v", filepath.Base(path), err)
		}
		return string(out)
	}
	files, err := filepath.Glob("../../dist/*.service")
	if err != nil || len(files) != 2 {
		t.Fatal("the unit files are not where they were", files, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// It looks whether the program is there, and a template is checked as one of its instances.
		unit := strings.ReplaceAll(string(b), "/usr/local/bin/ebb", ebbPath(t))
		name := strings.Replace(filepath.Base(file), "@", "@test", 1)
		if out := verify(write(name, unit)); out != "" {
			t.Errorf("%s: %s", name, out)
		}
		// The test can fail: a directive that is misspelt is told.
		if out := verify(write("bad-"+name, strings.ReplaceAll(unit, "ExecStart=", "ExecStrt=")+"\nExecStart=/bin/true\n")); !strings.Contains(out, "ExecStrt") {
			t.Errorf("%s with a misspelt directive: %q", name, out)
		}
	}
}
