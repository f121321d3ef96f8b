package devtest

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/internal/safefile"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Updating reports whether golden files are to be written anew. It is for tests that compare the
// files themselves.
func Updating() bool { return *update }

// Golden compares got with the file at path and reports the first line that differs. With -update
// it writes the file.
func Golden(t testing.TB, path string, got []byte) {
	t.Helper()
	if Updating() {
		WriteGolden(t, path, got)
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

// WriteGolden writes a golden file.
func WriteGolden(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// UnpackedGolden returns the content of a file that may be compressed with gzip.
func UnpackedGolden(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := safefile.Unpacked(f)
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
