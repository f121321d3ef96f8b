package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

const (
	// expensive is the time from which a case is listed with its cost.
	expensive = 5 * time.Second
	// listed is the number of costs that are listed.
	listed = 25
	// seen is the number of lines about failures that a terminal shows at once.
	seen = 38
	// width is the column at which a line of a failure is cut off.
	width = 160
)

// asserted matches a line by which a test, or a compiler, says where it failed.
var asserted = regexp.MustCompile(
	`^ *(\w+_test\.go:\d+: |panic: |WARNING: DATA RACE|.*\.go:\d+:\d+: )`)

// raced matches the race detector's warning: without it the test would pass.
var raced = regexp.MustCompile(`^ *WARNING: DATA RACE`)

// limit matches the line of go test where a package's tests took longer than they may.
var limit = regexp.MustCompile(`panic: test timed out after (\S+)`)

// print writes the skipped tests, the costs of the cases, and, as the last lines, the failures.
func (o *outcome) print(w io.Writer) {
	o.printSkipped(w)
	o.printCosts(w)
	if len(o.stayed) > 0 {
		fmt.Fprintln(w, "\nWhat outlived its tests and was ended, each a defect to mend:")
		for _, line := range o.stayed {
			fmt.Fprintln(w, "  "+line)
		}
	}
	failed, aloneOnly := o.failures()
	if len(aloneOnly) > 0 {
		fmt.Fprintln(w, "\nPassed alone only, each a defect to mend:")
		for _, r := range aloneOnly {
			printFailure(w, r, 1)
		}
	}
	if len(failed) == 0 {
		return
	}
	fmt.Fprintf(w, "\nFailed: %d. The line where, and the command that repeats it:\n", len(failed))
	said := 1
	if len(failed) <= seen/4 {
		said = 2
	}
	for i, r := range failed {
		if (i+1)*(said+2) > seen {
			fmt.Fprintf(w, "  and %d more\n", len(failed)-i)
			break
		}
		printFailure(w, r, said)
	}
}

// printFailure writes a failed test with a limited number of lines of its output.
func printFailure(w io.Writer, r *result, lines int) {
	how := ""
	for _, line := range r.output {
		if m := limit.FindStringSubmatch(line); m != nil {
			how = fmt.Sprintf(": the limit of %s was reached", m[1])
		}
	}
	if how == "" && r.action == "" {
		how = ": it did not end"
	}
	fmt.Fprintf(w, "  %s%s\n", strings.TrimSpace(r.pkg+" "+r.test), how)
	said := slices.DeleteFunc(slices.Clone(r.output), func(s string) bool {
		return !asserted.MatchString(s)
	})
	for _, line := range said[:min(lines, len(said))] {
		line = strings.TrimSpace(line)
		if len(line) > width {
			line = strings.ToValidUTF8(line[:width], "") + " ..."
		}
		fmt.Fprintln(w, "      "+line)
	}
	race, run := "", ""
	if slices.ContainsFunc(said, raced.MatchString) {
		race = " -race"
	}
	if r.test != "" {
		run = " -run '^" + strings.ReplaceAll(regexp.QuoteMeta(r.test), "/", "$/^") + "$'"
	}
	fmt.Fprintf(w, "      go test -count 1%s%s ./%s\n", race, run, r.pkg)
}

// printSkipped lists the skipped tests, each with its reason, which is the last line it wrote.
// Tests that are left to make test-all share one line.
func (o *outcome) printSkipped(w io.Writer) {
	fmt.Fprintln(w, "\nSkipped, and why. Tests of refused access were run as nobody.")
	var long []string
	for _, r := range o.results {
		if r.action != "skip" || r.test == "" {
			continue
		}
		why := ""
		for _, line := range r.output {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "---") {
				why = line
			}
		}
		if strings.HasSuffix(why, devtest.LongReason) {
			long = append(long, r.pkg+" "+r.test)
			continue
		}
		fmt.Fprintf(w, "  %s %s: %s\n", r.pkg, r.test, why)
	}
	if len(long) > 0 {
		fmt.Fprintf(w, "  %d cases that make test-all runs: %s\n", len(long),
			strings.Join(long, ", "))
	}
}

// printCosts lists the cases that took longest, so that the next one is added knowingly.
func (o *outcome) printCosts(w io.Writer) {
	var cases []*result
	packages := map[string]time.Duration{}
	for _, r := range o.results {
		if r.test == "" {
			packages[r.pkg] = r.took
		} else if r.test == r.top() && r.took >= expensive {
			cases = append(cases, r)
		}
	}
	slices.SortStableFunc(cases, func(a, b *result) int { return int(b.took - a.took) })
	fmt.Fprintln(w, "\nWhat the longest cases cost, some beside others of their package:")
	for _, r := range cases[:min(listed, len(cases))] {
		fmt.Fprintf(w, "  %5.0f s  %s %s (of %.0f s)\n", r.took.Seconds(), r.pkg, r.test,
			packages[r.pkg].Seconds())
	}
}
