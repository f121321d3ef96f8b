package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTerminal(t *testing.T) {
	dir := t.TempDir()
	for content, says := range map[string]string{"1\n": "sysctl dev.tty.legacy_tiocsti=0",
		"0\n": "no program types", "": "has no dev.tty.legacy_tiocsti"} {
		file := filepath.Join(dir, "setting")
		_ = os.Remove(file) // it is not there at first
		if content != "" {
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if f := examineTerminal(file); f.State != Good || !strings.Contains(f.Detail, says) {
			t.Errorf("%q: %+v", content, f)
		}
	}
	if f := examineTerminal(dir); f.State != Warning {
		t.Errorf("a directory: %+v", f)
	}
}
