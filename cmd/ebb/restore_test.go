package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestRestoreSaysOneThing: where nothing could be found out, nothing is said on standard output.
func TestRestoreSaysOneThing(t *testing.T) {
	root, dir := devtest.Tree(t, devtest.Desktop), t.TempDir()
	file, torn := filepath.Join(dir, "file"), filepath.Join(dir, "torn")
	for path, make := range map[string]func(string) error{
		file: func(p string) error { return os.WriteFile(p, nil, 0o600) },
		torn: func(p string) error { return os.Mkdir(p, 0o700) },
		filepath.Join(torn, "snapshot.json"): func(p string) error {
			_ = os.Mkdir(torn, 0o700)
			return os.WriteFile(p, []byte("{"), 0o600)
		},
	} {
		if err := make(path); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
	for run, want := range map[string]string{filepath.Join(dir, "none"): "nothing to restore",
		file: "", torn: ""} {
		for _, args := range [][]string{{"restore"}, {"restore", "--wait"}} {
			var out bytes.Buffer
			cmd := newRoot(command.Stdio{In: os.Stdin, Out: &out, Err: &out}, every)
			cmd.SetArgs(append(args, "--sysfs", root, "--run-dir", run))
			err := cmd.Execute()
			if (err == nil) != (want != "") || !strings.HasPrefix(out.String(), want) ||
				want == "" && out.Len() > 0 {
				t.Errorf("%s %v: %q, %v", filepath.Base(run), args, out.String(), err)
			}
		}
	}
}
