package symbols

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestHostileFiles: files of a million functions stay without names, which a problem says, and take
// no more memory than their bounds.
func TestHostileFiles(t *testing.T) {
	for what, b := range hostileFiles() {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		devtest.BoundedMemory(t, 200<<20, func() {
			f, err := fileAt(t, path)
			if err != nil {
				t.Fatal(err)
			}
			f.find(f.loads[0].Off + 1)
			if len(f.problems) != 1 || !strings.Contains(f.problems[0],
				"functions have no names") || len(f.table.spans) > 2*maxFunctions {
				t.Errorf("%s: %d functions, %q", what, len(f.table.spans), f.problems)
			}
		})
	}
}

// TestHostileHeaders: section headers that name parts of a long text are refused before anything is
// made of them.
func TestHostileHeaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, sections := range []int{2, 100, 60000} {
		headersOfNothing(t, path, sections, 1<<30)
		devtest.BoundedMemory(t, 1<<20, func() {
			if _, err := fileAt(t, path); err == nil {
				t.Errorf("%d sections: a text of 1 GB was taken", sections)
			}
		})
	}
}

// TestBudget: what several files have together is bounded, and those behind it stay without names.
func TestBudget(t *testing.T) {
	path, _, hidden := library(t)
	budget := &budget{kept: 1 << 20, read: 1 << 30}
	names := 0
	for range 20000 {
		f, err := fileAt(t, path)
		if err != nil {
			t.Fatal(err)
		}
		f.budget = budget
		if _, ok := f.at(hidden); ok && len(f.problems) == 0 {
			names++
		} else if len(f.problems) != 1 ||
			!strings.Contains(f.problems[0], "exceed the memory limit") {
			t.Fatalf("%q", f.problems)
		} else {
			break
		}
		if err := f.close(); err != nil {
			t.Fatal(err)
		}
	}
	if names == 0 || names == 20000 || budget.kept < 0 {
		t.Errorf("%d files have names, %d bytes are left", names, budget.kept)
	}
}

// TestManyMappings: all mappings of code that a kernel lets a process have are kept, but not all
// their paths.
func TestManyMappings(t *testing.T) {
	var text strings.Builder
	long := strings.Repeat("x", 2000)
	for i := range 60000 {
		text.WriteString(strings.Join([]string{hexText(2*i + 2), "-", hexText(2*i + 3),
			" r-xp 00000000 08:01 123 /", long, hexText(i), "\n"}, ""))
	}
	s := text.String()
	devtest.BoundedMemory(t, 32<<20, func() {
		maps := parseMaps(s)
		paths := 0
		for i := range maps {
			paths += len(maps[i].Path)
		}
		if len(maps) < 30000 || paths > maxPaths || maps[0].Path == "" {
			t.Errorf("%d mappings, %d bytes of paths", len(maps), paths)
		}
	})
}

func hexText(n int) string {
	const digits = "0123456789abcdef"
	out := ""
	for ; n > 0; n /= 16 {
		out = string(digits[n%16]) + out
	}
	return out + "000"
}
