package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docCommand is a command line of ebb in a code block of the documentation: its subcommand and what
// follows.
var docCommand = regexp.MustCompile(`(?m)^    (?:\$ )?(?:sudo )?(?:bin/)?ebb ([a-z]+)(.*)$`)

// withoutCommands are the pages of docs that show none: words, links, and generated tables.
var withoutCommands = map[string]bool{
	"../../docs/README.md": true, "../../docs/glossary.md": true, "../../docs/layers.md": true,
}

// TestDocumentedCommandsExist looks up each subcommand and flag that the documentation shows in
// ebb's own help.
func TestDocumentedCommandsExist(t *testing.T) {
	help := map[string]string{}
	docs, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range append(docs, "../../README.md", "../../CONTRIBUTING.md") {
		b, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		found := docCommand.FindAllStringSubmatch(string(b), -1)
		if len(found) == 0 && !withoutCommands[doc] {
			t.Errorf("%s shows no command", doc)
		}
		for _, m := range found {
			sub := m[1]
			if words := strings.Fields(m[2]); sub == "model" && len(words) > 0 {
				sub += " " + words[0] // a command of several
			}
			if help[sub] == "" {
				r := ebb(t, append(strings.Fields(sub), "--help")...)
				if r.code != 0 {
					t.Errorf("%s: ebb %s: %s", doc, sub, r.stderr)
				}
				help[sub] = r.stdout
			}
			own, _, _ := strings.Cut(m[2], " -- ")
			for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(own, -1) {
				if !strings.Contains(help[sub], flag+" ") {
					t.Errorf("%s: ebb %s has no flag %s", doc, sub, flag)
				}
			}
		}
	}
}
