package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/app/run/part"
)

// TestReplacedFilesAreNamed: a line for each file that the run's end replaces, and none for files
// that are new, empty or no files.
func TestReplacedFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	s := Settings{}
	s.Files = part.Files{Report: file("r.json", "{}"), Recording: file("r.ebb", "x"),
		Epochs: filepath.Join(dir, "new.csv")}
	s.Sensitivity.File = file("app.functions", "{}")
	said := strings.Join(s.replaced(), "\n")
	want := filepath.Join(dir, "r.json") + " exists: this run's report replaces it\n" +
		filepath.Join(dir, "r.ebb") + " exists: this run's recording replaces it"
	if said != want { // ebb run reads the table
		t.Errorf("said %q, want %q", said, want)
	}
	if s.RecordOnly = true; len(s.replaced()) != 3 {
		t.Errorf("of a record: %q", s.replaced())
	}
	s = Settings{}
	s.Files = part.Files{Report: file("empty", ""), Recording: "/dev/null", Epochs: dir}
	if lines := s.replaced(); len(lines) != 0 {
		t.Errorf("said %q", lines)
	}
}
