package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestDoctorAsNobody: on every machine whose files the tests have, and on this one, ebb doctor says
// something of each of its subjects to a user without any right.
func TestDoctorAsNobody(t *testing.T) {
	besideOthers(t)
	needRoot(t) // to become another user
	trees, err := filepath.Glob("../../*/testdata/trees/*.tree")
	more, errMore := filepath.Glob("../../*/*/testdata/trees/*.tree")
	if err != nil || errMore != nil || len(trees) == 0 || len(more) == 0 {
		t.Fatal(trees, more, err, errMore)
	}
	subjects := 0
	for _, tree := range append([]string{""}, append(trees, more...)...) {
		args := []string{"doctor", "--json"}
		if tree != "" {
			text, err := os.ReadFile(tree)
			if err != nil {
				t.Fatal(err)
			}
			dir := devtest.Tree(t, string(text))
			for d := filepath.Dir(dir); d != "/tmp" && d != "/"; d = filepath.Dir(d) {
				if err := os.Chmod(d, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			args = append(args, "--sysfs", dir)
		}
		cmd := command(t, args...)
		unprivileged(cmd)
		r := finish(t, cmd)
		var findings []struct{ What, State, Detail, Advice string }
		if err := json.Unmarshal([]byte(r.stdout), &findings); err != nil || r.code != 1 ||
			r.stderr != "" {
			t.Errorf("%s: status %d, %v: %s", tree, r.code, err, r.stderr)
			continue
		}
		if subjects == 0 {
			subjects = len(findings)
		}
		refused := false
		for _, f := range findings {
			if f.What == "" || f.Detail == "" ||
				f.State != "good" && f.State != "warning" && f.State != "missing" {
				t.Errorf("%s: %+v", tree, f)
			}
			refused = refused || f.What == "capabilities" && f.State == "missing"
			if testing.Verbose() {
				t.Logf("%s: %s %s: %s -> %s", filepath.Base(tree), f.What, f.State, f.Detail,
					f.Advice)
			}
		}
		if len(findings) != subjects || !refused {
			t.Errorf("%s: %d subjects, %d elsewhere; that rights are missing: %v", tree,
				len(findings), subjects, refused)
		}
	}
}
