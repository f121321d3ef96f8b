package meters

import (
	"os"
	"path/filepath"
	"testing"
)

// TestBusyTime: a kernel's account has a busy time; what is missing or malformed has none.
func TestBusyTime(t *testing.T) {
	if got, ok := readBusy("/proc/stat"); !ok || got <= 0 {
		t.Errorf("this machine was busy for %v, %v", got, ok)
	}
	file := filepath.Join(t.TempDir(), "stat")
	if _, ok := readBusy(file); ok {
		t.Error("a missing file has a busy time")
	}
	if err := os.WriteFile(file, []byte("cpu 1 x 3 4 5 6 7 8\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := readBusy(file); ok {
		t.Error("a malformed file has a busy time")
	}
}
