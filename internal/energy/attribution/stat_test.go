package attribution

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
)

// TestStatFile: the file is read again each time, also one whose CPUs do not fit into the first
// piece.
func TestStatFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stat")
	s := statFile{path: path}
	if got := s.busy(); got != nil {
		t.Errorf("without a file: %v", got)
	}
	for _, cpus := range []int{2, 300} {
		for _, ticks := range []int{100, 250} {
			var text strings.Builder
			fmt.Fprintf(&text, "cpu  %d 0 0 5 0 0 0 0 0 0\n", cpus*ticks)
			for c := range cpus {
				fmt.Fprintf(&text, "cpu%d %d 0 0 1000000 0 0 0 0 0 0\n", c, ticks+c)
			}
			fmt.Fprintf(&text, "intr %s\nctxt 1\n", strings.Repeat("1 ", 10_000))
			if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			got := s.busy()
			if len(got) != cpus {
				t.Fatalf("%d CPUs, want %d", len(got), cpus)
			}
			for c := range cpus {
				want := time.Duration(ticks+c) * 10 * time.Millisecond
				if got[energy.CPU(c)] != want {
					t.Fatalf("CPU %d of %d: %v, want %v", c, cpus, got[energy.CPU(c)], want)
				}
			}
		}
	}
	s.close()
}

// FuzzBusy: whatever the kernel's account says, no CPU has been busy for less than nothing or has a
// number below none, and text after the CPUs' lines changes nothing.
func FuzzBusy(f *testing.F) {
	f.Add("cpu  9 0 0 5 0 0 0 0 0 0\ncpu0 4 0 1 5 0 2 3 0 0 0\ncpu1 5 0 0 5\nintr 1 2\n")
	f.Add("cpu0 9223372036854775807 9223372036854775807 0 0 0 0 0\n")
	f.Add("cpu2147483648 1 1 1 1 1 1 1\ncpu-1 1 1 1 1 1 1 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := busy(text)
		for c, d := range got {
			if c < 0 || d < 0 {
				t.Errorf("CPU %d was busy for %v", c, d)
			}
		}
		if !strings.HasSuffix(text, "\n") {
			return
		}
		if after := busy(text + "intr 1\nctxt 1\n"); !maps.Equal(got, after) {
			t.Errorf("%v, with what comes after the CPUs %v", got, after)
		}
	})
}
