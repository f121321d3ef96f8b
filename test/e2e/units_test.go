package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestUnits lets systemd check the unit files, with this ebb in the place of the installed one, and
// looks up in ebb's own help what they call.
func TestUnits(t *testing.T) {
	besideOthers(t)
	units, err := filepath.Glob("../../tools/dist/*.service")
	if err != nil || len(units) != 4 {
		t.Fatalf("units %q, %v", units, err)
	}
	dir := t.TempDir()
	// that an instance governs
	if err := os.WriteFile(filepath.Join(dir, "example.service"),
		[]byte("[Service]\nExecStart=/bin/true\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, unit := range units {
		text, err := os.ReadFile(unit)
		if err != nil {
			t.Fatal(err)
		}
		calls := regexp.MustCompile(
			`(?m)^Exec\w+=/usr/local/bin/ebb (\w+)(.*)$`,
		).FindAllStringSubmatch(string(text), -1)
		if len(calls) == 0 {
			t.Errorf("%s calls no ebb", unit)
		}
		for _, call := range calls {
			help := ebb(t, call[1], "--help")
			own, _, _ := strings.Cut(call[2], " -- ")
			for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(own, -1) {
				if help.code != 0 || !strings.Contains(help.stdout, flag+" ") {
					t.Errorf("%s: ebb %s has no flag %s", unit, call[1], flag)
				}
			}
		}
		mine := strings.ReplaceAll(string(text), "/usr/local/bin/ebb", ebbPath(t))
		name := strings.Replace(filepath.Base(unit), "@", "@example", 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(mine), 0o644); err != nil {
			t.Fatal(err)
		}
		analyze, err := exec.LookPath("systemd-analyze")
		if err != nil {
			t.Skip("needs systemd-analyze")
		}
		if out, err := exec.Command(analyze, "verify",
			filepath.Join(dir, name)).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v: %s", unit, err, out)
		}
	}
}
