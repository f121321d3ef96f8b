package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/command"
)

// TestWithoutEffect: ebb refuses what would have no effect, and says why, before it does anything.
func TestWithoutEffect(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.json")
	if err := os.WriteFile(empty, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("no stream\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	long := "run --frequency 2GHz --states 1GHz..4GHz/1GHz -- true"
	for line, want := range map[string]string{
		"watch " + text:                              "not a line of ebb run --stream",
		"watch /dev/zero":                            "a line of more than 67108864 bytes",
		"frobnicate --help":                          `unknown command "frobnicate"`,
		"--help frobnicate":                          `unknown command "frobnicate"`,
		"reprot r.json --help":                       "did you mean ebb report?",
		"model frobnicate --help":                    "ebb model --help lists the commands",
		"completion tcsh --help":                     `unknown command "tcsh"`,
		"run --pid 1 --pid 2":                        `--pid: given as "1" and as "2"`,
		"run --shadow --shadow=false":                `--shadow: given as "true" and as "false"`,
		"report a --format csv --format json":        "--format: given as",
		"run --pid 0":                                "a process id is positive",
		"run --warm-up 1s -- true":                   "without --methods",
		"run --functions=off --warm-up 1s -- true":   "without --methods",
		"run --functions --warm-up 1s --pid 1":       "only a command that ebb starts",
		"run --rate 99 -- true":                      "without --methods",
		"run --rules jalen2012 -- true":              "without --methods",
		"run --methods --rules fair -- true":         "--rules: no rule \"fair\"; there are ledger",
		"run --tdp 84W -- true":                      "without --methods",
		"run --frequency 2GHz --slowdown 5% -- true": "beside --frequency",
		long:                              "beside --frequency",
		"run --shadow --takeover -- true": "beside --shadow",
		"run --model wake --ctp per-epoch -- true": "--ctp is for --model dep",
		"run --rule even --margin 2% -- true":      "--margin is for --rule priced",
		"run --states 1GHz -- true":                "LOW..HIGH/STEP",
		"run --rest 4 --methods --regions -- true": "--rest does nothing beside --regions",
		"run --rest 4 --hold-off 2 -- true":        "beside --hold-off",
		"run --rest 4 --frequency 2GHz -- true":    "beside --frequency",
		"run --rest 4 --functions calls -- true":   "--rest does nothing beside --functions",
		"run --rest 4 --rule even -- true":         "--rest is for --rule priced",

		"run --rest 4 --count f -- true":                   "--rest does nothing beside --count",
		"run --count-stepped -- true":                      "does nothing without --count",
		"run --hwmon a --meter-csv b -- true":              "name one meter",
		"train -o d --hwmon a --meter-csv b":               "name one meter",
		"run --other-machine --methods -- true":            "without --power-model",
		"run --minimize system-energy --rule even -- true": "beside --minimize, which has",
		"energy --pid 1 --depth 2":                         "nothing without --machine",
		"energy --machine --as-if table2":                  "--as-if does nothing beside",
		"run --user= -- true":                              "--user: its value is empty",
		"run --methods --rules= -- true":                   "--rules: its value is empty",
		"run --estimator= -- true":                         "--estimator: its value is empty",
		"predict t.csv --to=":                              "--to: its value is empty",
		"train --plan= -o d":                               "--plan: its value is empty",
		"bench --journal= -- true":                         "--journal: its value is empty",
		"report " + empty + " --format=":                   "--format: its value is empty",

		"run --epochs t.csv --frequency 2GHz --hold-off 2 -- true": "--hold-off does nothing",
		"predict t.csv --to 2GHz --ctp per-epoch":                  "--ctp is for --model dep",
		"predict t.csv --to 2GHz --model m+crit --ctp across":      "--ctp is for --model dep",
		"replay t.ebb --model wake --ctp across":                   "--ctp is for --model dep",
		"eval --quick":                                             "is ebb-lab eval now",
		"bench --sim xalan":                                        "is ebb-lab bench --sim now",
		"report " + empty + " --top -1":                            "--top -1: give a number",
		"run --count " + strings.Repeat("x", 385) + " true":        "names of at most 384",
		"run --count f,f true":                                     "is there twice",
		"energy --machine --json --top 3":                          "which has all groups",
		"run --duration 1000000h -- true":                          "it can be up to 8760h",
		"run --report - -- true":                                   "--report -: give the name",
		"energy --pid 1 --for 1000000h":                            "--for 1000000h: it can",
		"run --duration 8760h1s -- true":                           "it can be up to 8760h",
		"record --epochs t.csv --duration 1000000h -- true":        "it can be up to 8760h",
		"run --threads --warm-up 1000000h -- true":                 "it can be up to 8760h",
		"bench --pause 1000000h -- true":                           "between 0s and 24h",
		"train --limit 1000000h -o d":                              "--limit 1000000h is more",
		"run --pid 2147483647":                                     "2147483647: no such process",
		"run --pid 2147483647 --duration 1s":                       "no such process",
		"record --epochs t.csv --pid 2147483647":                   "no such process",
		"energy --pid 0":                                           "a process id is positive",
		"energy --pid 2147483647":                                  "no such process",
		"completion tcsh":                                          "bash, zsh, fish, powershell",
		"completion bash2":                                         "no completion for the shell",

		"report " + empty + " --rule all --format html":    "--rule all is shown as",
		"report " + empty + " --rule all --format pprof":   "--rule all is shown as",
		"report " + empty + " --rule all --diff " + empty:  "--rule all is shown as",
		"report " + empty + " --format html --top 3":       "--top does nothing",
		"report " + empty + " --format folded --by thread": "--by does nothing",
		"report " + empty + " --by network --rule equal":   "--rule does nothing",
		"report " + empty + " --slice m --format csv":      "--slice is shown as",
		"report " + empty + " --slice m --rule all":        "--slice is shown as",
		"report " + empty + " --slice m --by class":        "--by does nothing",
		"report " + empty + " --slice m " + empty + "2":    "give one report",
		"report " + empty + " --sum --format csv":          "--sum is shown as",
		"report " + empty + " --sum --by network":          "--sum does nothing",
		"report " + empty + " --slice=":                    "--slice: its value is empty",
		"report " + empty + " --by cfa0":                   "no view by",
		"report " + empty + " --by colour":                 "network",
		"report " + empty:                                  "not a report of ebb run",
	} {
		var out, errs strings.Builder
		code := ebb(strings.Fields(line), command.Stdio{In: os.Stdin, Out: &out, Err: &errs})
		if code != command.Usage || !strings.Contains(errs.String(), want) ||
			strings.Count(errs.String(), "\n") != 1 || out.Len() > 0 {
			t.Errorf("ebb %s: status %d, said %q, printed %q; want status 2 and %q", line, code,
				errs.String(), out.String(), want)
		}
	}
}

// TestSaidTwice: a flag may say the same twice, and flags override the file that set them before.
func TestSaidTwice(t *testing.T) {
	dir := t.TempDir()
	conf := filepath.Join(dir, "ebb.toml")
	if err := os.WriteFile(conf, []byte("slowdown = \"7%\"\nquantum = \"1h\"\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	// The file's quantum is what fails, so the flags before it were read.
	code := ebb([]string{"run", "--slowdown", "5.0%", "--slowdown", "5.0%", "--config", conf, "--",
		"true"}, command.Stdio{In: os.Stdin, Out: &errs, Err: &errs})
	if code != command.Usage || !strings.Contains(errs.String(), "quantum") {
		t.Errorf("status %d, %s", code, errs.String())
	}
}

// TestHelpFits: no line of any help is longer than a terminal of 80 columns.
func TestHelpFits(t *testing.T) {
	for _, path := range []string{"", "run", "record", "predict", "replay", "report", "bench",
		"calm", "doctor", "restore", "model", "model crossval", "completion", "version",
		"run all", "train", "model train"} {
		var out, errs strings.Builder
		if code := ebb(append([]string{"help"}, strings.Fields(path)...),
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
