package prose

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// codeOf and testsOf are the last paragraph of a page of decisions.
	codeOf = regexp.MustCompile(`(?s)\nCode:\s(.*?)\.\s+Tests:\s(.*)`)
	// quoted is a name in backticks.
	quoted = regexp.MustCompile("`([^`]+)`")
	// function is a test's declaration.
	function = regexp.MustCompile(`(?m)^func (Test\w+|Fuzz\w+|Benchmark\w+)\(`)
)

// TestDecisionsNameTheirCode: each page of decisions ends with the code that holds the decision and
// the tests that fail when it is broken, and these are there.
func TestDecisionsNameTheirCode(t *testing.T) {
	tests := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range function.FindAllSubmatch(b, -1) {
			tests[string(m[1])] = true
		}
		return err
	})
	pages, err2 := filepath.Glob(filepath.Join(root, "docs/decisions/*.md"))
	if err != nil || err2 != nil || len(pages) < 20 {
		t.Fatal(len(pages), err, err2)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(page)
		if name == "README.md" {
			continue
		}
		last := codeOf.FindSubmatch(bytes.TrimSpace(text))
		if last == nil {
			t.Errorf("%s has no last paragraph with Code and Tests", name)
			continue
		}
		for _, m := range quoted.FindAllSubmatch(last[1], -1) {
			if what := string(m[1]); strings.Contains(what, "/") {
				if _, err := os.Stat(filepath.Join(root, what)); err != nil {
					t.Errorf("%s: there is no %s", name, what)
				}
			}
		}
		for _, m := range quoted.FindAllSubmatch(last[2], -1) {
			if what := string(m[1]); strings.HasPrefix(what, "Test") && !tests[what] {
				t.Errorf("%s: there is no %s", name, what)
			}
		}
	}
}
