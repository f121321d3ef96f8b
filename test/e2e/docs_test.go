package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docCommand is a command line of ebb or ebb-lab in a code block of the documentation: the program,
// and what follows its name there.
var docCommand = regexp.MustCompile(`(?m)^    (?:\$ )?(?:sudo )?(?:bin/)?(ebb|ebb-lab) ([a-z]+.*)$`)

// helpCommand is a line of a help's list of subcommands.
var helpCommand = regexp.MustCompile(`(?m)^  ([a-z]+) `)

// helps has the help of each command of a program, by its words; "" is the program itself.
type helps struct {
	run  func(t *testing.T, args ...string) result
	text map[string]string
}

// of returns a command's help.
func (h helps) of(t *testing.T, command string) string {
	t.Helper()
	if h.text[command] == "" {
		all := "--help"
		if command == "run" {
			all = "--help-all"
		}
		r := h.run(t, append(strings.Fields(command), all)...)
		if r.code != 0 {
			t.Fatalf("ebb %s --help: %s", command, r.stderr)
		}
		h.text[command] = r.stdout
	}
	return h.text[command]
}

// subcommand finds the command that a line names: as many of its words as the helps list, one
// below the other. It is "" where ebb's own help lacks the first.
func (h helps) subcommand(t *testing.T, line string) (command string) {
	t.Helper()
	for _, word := range strings.Fields(line) {
		_, list, _ := strings.Cut(h.of(t, command), "\nUsage:\n")
		if !slices.ContainsFunc(helpCommand.FindAllStringSubmatch(list, -1),
			func(m []string) bool { return m[1] == word }) {
			break
		}
		command = strings.TrimSpace(command + " " + word)
	}
	return command
}

// withoutCommands are the pages of docs that show none: words, links, and generated tables.
var withoutCommands = map[string]bool{
	"../../docs/README.md": true, "../../docs/glossary.md": true, "../../docs/layers.md": true,
	"../../docs/first-patch.md": true,
}

// TestDocumentedCommandsExist looks up each subcommand and flag that the documentation shows in
// ebb's own help.
func TestDocumentedCommandsExist(t *testing.T) {
	besideOthers(t)
	programs := map[string]helps{"ebb": {ebb, map[string]string{}},
		"ebb-lab": {lab, map[string]string{}}}
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
			help, line := programs[m[1]], m[2]
			sub := help.subcommand(t, line)
			if sub == "" {
				t.Errorf("%s: %s has no command %s", doc, m[1], line)
				continue
			}
			if strings.Contains(help.of(t, sub), "\nAvailable Commands:\n") {
				t.Errorf("%s: %s %s: %s has commands, and the line names none", doc, m[1], line,
					sub)
			}
			own, _, _ := strings.Cut(line, " -- ")
			for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(own, -1) {
				if !strings.Contains(help.of(t, sub), flag+" ") {
					t.Errorf("%s: %s %s has no flag %s", doc, m[1], sub, flag)
				}
			}
		}
	}
}
