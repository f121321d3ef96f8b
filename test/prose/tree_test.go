package prose_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/test/prose"
)

const root = "../.."

// files lists the tree's files by their suffix, relative to its root. Data of tests in other
// formats than Markdown, and what nobody commits, are left out.
func files(t *testing.T, suffix string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root &&
			(strings.HasPrefix(name, ".") || name == "build" || name == "bin" ||
				name == "testdata" && suffix == ".go") {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(name, suffix) {
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			out = append(out, rel)
		}
		return nil
	})
	if err != nil || len(out) == 0 {
		t.Fatalf("no files with %s: %v", suffix, err)
	}
	return out
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestMarkdownReadsWell(t *testing.T) {
	for _, file := range files(t, ".md") {
		for _, f := range prose.Markdown(read(t, file)) {
			t.Errorf("%s:%d: %s", file, f.Line, f.What)
		}
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	for _, file := range files(t, ".md") {
		for _, l := range prose.Links(read(t, file)) {
			target := file
			if l.Path != "" {
				target = filepath.Join(filepath.Dir(file), l.Path)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s:%d: %v", file, l.Line, err)
			} else if l.Anchor != "" && !prose.Anchors(read(t, target))[l.Anchor] {
				t.Errorf("%s:%d: %s has no heading #%s", file, l.Line, target, l.Anchor)
			}
		}
	}
}

func TestGoReadsWell(t *testing.T) {
	for _, file := range files(t, ".go") {
		if filepath.Dir(file) == "test/prose" { // it quotes what it looks for
			continue
		}
		for _, f := range prose.Go(read(t, file)) {
			t.Errorf("%s:%d: %s", file, f.Line, f.What)
		}
	}
}

// TestDecisionsAreIndexed: every page of decisions is short, and the index has it by its title.
func TestDecisionsAreIndexed(t *testing.T) {
	const dir, most = "docs/decisions", 64
	index := string(read(t, dir+"/README.md"))
	pages := 0
	for _, file := range files(t, ".md") {
		if filepath.Dir(file) != dir || filepath.Base(file) == "README.md" {
			continue
		}
		pages++
		text := string(read(t, file))
		title, _, _ := strings.Cut(text, "\n")
		title, isTitle := strings.CutPrefix(title, "# ")
		if !isTitle {
			t.Errorf("%s: its first line is no title", file)
		}
		row := fmt.Sprintf("| [%s](%s) |", title, filepath.Base(file))
		if strings.Count(index, row) != 1 {
			t.Errorf("%s/README.md has not one row that begins with %s", dir, row)
		}
		if n := strings.Count(text, "\n"); n > most {
			t.Errorf("%s: %d lines, where %d are allowed", file, n, most)
		}
	}
	if rows := strings.Count(index, "\n| ["); rows != pages {
		t.Errorf("%s/README.md has %d rows for %d pages", dir, rows, pages)
	}
}
