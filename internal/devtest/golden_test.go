package devtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// failures records what a check reports.
type failures struct {
	testing.TB
	said []string
}

func (f *failures) Helper() {}
func (f *failures) Errorf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

func TestCheckNamesTheFirstDifferentLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "golden.txt")
	if err := os.WriteFile(path, []byte("one\ntwo\nthree\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for got, says := range map[string]string{
		"one\ntwo\nthree\n":         "",
		"one\n2\nthree\n":           "line 2",
		"one\ntwo\n":                "line 3",
		"one\ntwo\nthree":           "line 3",
		"one\ntwo\nthree\nfour\n":   "line 4",
		"one\ntwo\nthree\n\n":       "line 4",
		"":                          "line 1",
		"zero\none\ntwo\nthree\n\n": "line 1",
	} {
		f := failures{TB: t}
		Golden(&f, path, []byte(got))
		if said := strings.Join(f.said, "\n"); (said == "") != (says == "") ||
			!strings.Contains(said, says) {
			t.Errorf("%q: %q, want %q", got, f.said, says)
		}
	}
	f := failures{TB: t}
	if Golden(&f, path+".none", nil); len(f.said) != 1 {
		t.Errorf("a missing file: %q", f.said)
	}
}

func TestUpdateWritesTheFile(t *testing.T) {
	before := *update
	defer func() { *update = before }()
	path := filepath.Join(t.TempDir(), "new", "golden.txt")
	*update = true
	Golden(t, path, []byte("text\n"))
	*update = false
	Golden(t, path, []byte("text\n"))
}
