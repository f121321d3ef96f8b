// Package golden compares what tests make with files that hold what they made before. The flag
// -update writes the files anew: commit their difference only if you can say why each line changed.
package golden

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/internal/input"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Update says whether golden files are to be written anew. It is for tests that compare the files
// themselves.
func Update() bool { return *update }

// Check compares got with the file at path and reports the first line that differs. With -update it
// writes the file.
func Check(t testing.TB, path string, got []byte) {
	t.Helper()
	if Update() {
		Write(t, path, got)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%v (-update writes it)", err)
		return
	}
	if line, is, was := difference(got, want); line > 0 {
		t.Errorf("%s, line %d (-update writes the file anew)\n   is: %s\n  was: %s", path, line, is,
			was)
	}
}

// Write writes a golden file.
func Write(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Unpacked reads a file that may be compressed with gzip.
func Unpacked(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := input.Unpacked(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return b
}

// missing stands for a line that one of two texts does not have.
var missing = []byte("(nothing)")

// difference finds the first line, counted from 1, in which two texts differ; 0 if none does.
func difference(got, want []byte) (line int, is, was []byte) {
	if bytes.Equal(got, want) {
		return 0, nil, nil
	}
	a, b := bytes.SplitAfter(got, []byte("\n")), bytes.SplitAfter(want, []byte("\n"))
	for i := range max(len(a), len(b)) {
		is, was = missing, missing
		if i < len(a) {
			is = a[i]
		}
		if i < len(b) {
			was = b[i]
		}
		if !bytes.Equal(is, was) {
			return i + 1, bytes.TrimSuffix(is, []byte("\n")), bytes.TrimSuffix(was, []byte("\n"))
		}
	}
	return 0, nil, nil
}
