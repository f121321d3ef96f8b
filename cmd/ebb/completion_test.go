package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/command"
)

// TestCompletionKnowsValues: the shells' completion proposes values that the flag takes.
func TestCompletionKnowsValues(t *testing.T) {
	for line, want := range map[string]string{
		"run --model ":            "dep+burst",
		"run --user ":             "root",
		"run --rule ":             "six-steps",
		"run --counters cycles,":  "cycles,instructions",
		"run --slowdown 7":        "7%",
		"run --margin ":           "error-bar",
		"run --quantum 5":         "5ms",
		"run --frequency 2.4":     "2.4GHz",
		"run --platform-power 20": "20W",
		"run --minimize ":         "system-energy",
		"record --collector-ph":   "--collector-phases",
		"predict --to 1GHz,2":     "1GHz,2GHz",
		"report --by ":            "process",
		"report --format ":        "speedscope",
		"report --rule ":          "all",
		"report ":                 "json",
		"bench --slowdown 5%,1":   "5%,1%",
		"model train --learner ":  "residual",
		"help ":                   "run",
	} {
		var out, errs strings.Builder
		code := ebb(append([]string{"__complete"}, strings.Split(line, " ")...),
			command.Stdio{In: os.Stdin, Out: &out, Err: &errs})
		var got []string
		for proposed := range strings.Lines(out.String()) {
			proposed, _, _ = strings.Cut(strings.TrimSpace(proposed), "\t")
			got = append(got, proposed)
		}
		if code != command.OK || !slices.Contains(got, want) {
			t.Errorf("ebb %s: proposed %q, not %s; %s", line, got, want, errs.String())
		}
	}
}
