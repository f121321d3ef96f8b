package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestNotItself: ebb refuses to write a report over itself, under any name.
func TestNotItself(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "r.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{path, "-o", path}, {path, "-o", link},
		{link, "--format", "json", "-o", path}, {path, "--diff", link, "-o", path},
		{path, "--by", "network", "-o", path}} {
		var errs strings.Builder
		if code := ebb(append([]string{"report"}, args...),
			command.Stdio{In: os.Stdin, Out: io.Discard, Err: &errs}); code != command.Usage ||
			!strings.Contains(errs.String(), "is read") {
			t.Errorf("%q: status %d, %s", args, code, errs.String())
		}
		if b, err := os.ReadFile(path); string(b) != "{}" {
			t.Fatalf("%q: the report is %q (%v)", args, b, err)
		}
	}
}

// TestHostileInputs: an endless, huge or silent input, or one that is no file, gets one sentence
// and the status for wrong usage.
func TestHostileInputs(t *testing.T) {
	dir := t.TempDir()
	huge, deep, many, full := filepath.Join(dir, "huge"), filepath.Join(dir,
		"deep"), filepath.Join(dir, "many"), filepath.Join(dir, "full")
	for path, text := range map[string]string{
		huge: "", deep: strings.Repeat("[", 1<<20),
		many: `{"threads":[` + strings.Repeat(`{"tid":1},`, 2_000_000) + `{}]}`,
		full: `{"attribution":{"rules":["ledger"],"stacks":[` + strings.Repeat(`{},`, 2_000_000) +
			`{}]}}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(huge, 1<<40); err != nil {
		t.Fatal(err)
	}
	paths := []string{"/dev/zero", huge, dir, deep, filepath.Join(dir, "none"), many, full}
	for _, path := range paths[:devtest.Cases(len(paths), 5)] {
		for _, args := range [][]string{{"report", path}, {"predict", path, "--to", "1GHz"},
			{"replay", path}, {"run", "--shadow", "--config", path, "--", "true"}} {
			var errs strings.Builder
			code := ebb(args, command.Stdio{In: os.Stdin, Out: io.Discard, Err: &errs})
			if code != command.Usage || strings.Count(errs.String(), "\n") != 1 ||
				len(errs.String()) > 500 {
				t.Errorf("%q: status %d, %.300q", args, code, errs.String())
			}
		}
	}
}
