package child

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
)

// TestFileTimes: a file was made between two readings of the clock.
func TestFileTimes(t *testing.T) {
	const coarse = 20_000_000 // file systems have the time of the last tick
	before := uint64(monotonic.Now())
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	now, made, ahead, err := fileTimes(f)
	if err != nil || now < before || ahead <= 0 {
		t.Fatal(now, before, ahead, err)
	}
	if made == 0 {
		t.Skip("this file system does not say when a file was made")
	}
	if made+coarse < before || made > now {
		t.Errorf("made at %d, between %d and %d", made, before, now)
	}
}
