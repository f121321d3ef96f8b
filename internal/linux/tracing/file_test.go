package tracing

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/internal/safefile"
)

// TestExecutable: a file is taken by its descriptor, without its name; what is no file is refused.
func TestExecutable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("code"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Executable(f); err != nil {
		t.Error(err)
	}
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if _, err := Executable(dir); !errors.Is(err, safefile.ErrNotRegular) {
		t.Error(err)
	}
}
