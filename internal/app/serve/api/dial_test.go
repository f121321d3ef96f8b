package api

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDial: who does not serve, or is not root, is not asked.
func TestDial(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "none"), file} {
		if _, _, err := Dial(t.Context(), path); err == nil ||
			!strings.Contains(err.Error(), "no ebb serves on "+path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, pid, err := Dial(t.Context(), l.Addr().String())
	if err != nil || pid != os.Getpid() {
		t.Fatalf("%d, %v", pid, err)
	}
	c.Close()
}
