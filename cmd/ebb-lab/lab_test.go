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

// TestManualPages compares the pages in tools/dist/man with the help.
func TestManualPages(t *testing.T) {
	root := newRoot(command.Stdio{In: os.Stdin, Out: io.Discard, Err: io.Discard})
	devtest.ManualPages(t, &devtest.Manual{Root: root, Release: command.Release,
		Columns: command.VerbatimColumns, Dir: filepath.Join("..", "..", "tools", "dist", "man"),
		Mine: func(file string) bool { return strings.HasPrefix(file, "ebb-lab") }})
}

// TestHelpFits: no line of any help is longer than a terminal of 80 columns.
func TestHelpFits(t *testing.T) {
	for _, path := range []string{"", "eval", "bench", "sim", "accuracy", "calm", "vesta",
		"sweep", "audit"} {
		var out, errs strings.Builder
		if code := lab(append([]string{"help"}, strings.Fields(path)...),
			command.Stdio{In: os.Stdin, Out: &out, Err: &errs}); code != command.OK {
			t.Errorf("help %s: %s", path, errs.String())
		}
		for line := range strings.Lines(out.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > command.HelpColumns {
				t.Errorf("help %s: %d columns: %s", path, n, line)
			}
		}
	}
}

// TestWithoutEffect: the laboratory refuses what would have no effect, and says why.
func TestWithoutEffect(t *testing.T) {
	for line, want := range map[string]string{
		"eval --model coop --ctp across":    "--ctp is for --model dep",
		"eval extra":                        "takes no argument",
		"eval --shard 3":                    "--shard",
		"eval --shard 0/2":                  "from 1/1 to 1000/1000",
		"eval --shard 3/2":                  "such as 2/8",
		"eval --shard 1/2 --merge":          "--shard does nothing beside --merge",
		"eval --shard 1/2 --json":           "--shard does nothing beside --json",
		"eval --merge --quick":              "--quick does nothing beside --merge",
		"bench":                             "give --sim NAME",
		"bench --sim xalan --sim h2":        "--sim: given as",
		"bench --sim xalan --takeover":      "unknown flag",
		"bench --sim xalan --runs 0":        "--runs 0",
		"sim 7":                             "takes no argument",
		"sim --runs 0":                      "--runs 0 is not above zero",
		"accuracy":                          "give one directory",
		"accuracy /no/such/dir --halves -1": "--halves -1 is negative",
		"calm dir":                          "the programs' names",
		"vesta":                             "give a table",
		"vesta t.csv":                       "--power is missing",
		"vesta t.csv --power w":             "--program is missing",
		"vesta t.csv --power w --program p": "no such file",
		"vesta t.csv --power w --program p --repeats 1":     "--repeats 1 is not between",
		"vesta t.csv --power w --program p --merge 0":       "--merge 0 is not between",
		"vesta a.csv b.csv --power w --program p --merge 2": "--merge is for one table",
		"vesta a.csv b.csv --power w --program p":           "no such file",
		"sweep":                                     "--plan is missing",
		"sweep --plan p.toml":                       "-o is missing",
		"sweep --plan /no/such.toml -o d":           "no such file",
		"sweep --plan p.toml -o d --only x":         "--only x: there are as-given, gc-serial",
		"sweep --plan p.toml -o d --option x=Main":  `"Main" is no option`,
		"sweep --plan p.toml -o d --repeats 1":      "--repeats 1 is not between",
		"sweep --plan /dev/null -o d --list --json": "it has no [[program]]",
		"run -- true":                               `unknown command "run"`,
	} {
		var out, errs strings.Builder
		code := lab(strings.Fields(line), command.Stdio{In: os.Stdin, Out: &out, Err: &errs})
		if code != command.Usage || !strings.Contains(errs.String(), want) ||
			strings.Count(errs.String(), "\n") != 1 || out.Len() > 0 {
			t.Errorf("ebb-lab %s: status %d, said %q, printed %q; want status 2 and %q", line, code,
				errs.String(), out.String(), want)
		}
	}
}

// TestAccuracyOfNothing: a directory without tables is an error, not an empty result.
func TestAccuracyOfNothing(t *testing.T) {
	var out, errs strings.Builder
	if code := lab([]string{"accuracy", t.TempDir()},
		command.Stdio{In: os.Stdin, Out: &out, Err: &errs}); code == command.OK ||
		errs.Len() == 0 {
		t.Errorf("status %d, said %q, printed %q", code, errs.String(), out.String())
	}
}

// TestSim: the governor keeps the rules of the first seeds, and what was run is said.
func TestSim(t *testing.T) {
	var out, errs strings.Builder
	code := lab([]string{"sim", "--runs", "3"},
		command.Stdio{In: os.Stdin, Out: &out, Err: &errs})
	if code != command.OK || !strings.HasPrefix(out.String(), "3 runs, ") {
		t.Errorf("status %d, said %q, printed %q", code, errs.String(), out.String())
	}
}
