package main

import (
	"bufio"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/test/importrules"
)

// name is a test of a package; without a test it is the package as a whole.
type name struct{ pkg, test string }

// top returns the test that a subtest belongs to.
func (n name) top() string {
	test, _, _ := strings.Cut(n.test, "/")
	return test
}

// result is the result of a test.
type result struct {
	name
	action string // result of its last run: pass, fail, skip; "" while it has not ended
	failed int    // number of runs that failed
	took   time.Duration
	output []string // output of the last run that failed, or of the last one
}

// outcome is the result of each test and package, in the order in which they began.
type outcome struct {
	results []*result
	byName  map[name]*result
	// stayed has the lines about processes that outlived their tests.
	stayed []string
}

// event is a line of `go test -json` (go doc test2json).
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64 // seconds
}

// read reads events. With an error it also returns the outcome before it.
func read(events io.Reader) (*outcome, error) {
	o := &outcome{byName: map[name]*result{}}
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		var ev event
		// Lines that are no events come from programs beside go test.
		if len(line) > 0 && json.Unmarshal(line, &ev) == nil {
			o.add(ev)
		}
		if err == io.EOF {
			return o, nil
		}
		if err != nil {
			return o, err
		}
	}
}

func (o *outcome) add(ev event) {
	if ev.Package == "" { // output of a build
		ev.Package, _, _ = strings.Cut(ev.ImportPath, " ")
	}
	if ev.Package == "" {
		return
	}
	n := name{strings.TrimPrefix(ev.Package, importrules.Module+"/"), ev.Test}
	r := o.byName[n]
	if r == nil {
		r = &result{name: n}
		o.byName[n] = r
		o.results = append(o.results, r)
	}
	switch ev.Action {
	case "run", "start":
		r.action = ""
	case "output", "build-output":
		if r.failed > 0 {
			break
		}
		r.output = append(r.output, strings.Split(strings.TrimRight(ev.Output, "\n"), "\n")...)
		if at := strings.Index(ev.Output, stayed); at >= 0 {
			o.stayed = append(o.stayed, n.pkg+": "+strings.TrimSpace(ev.Output[at+len(stayed):]))
		}
	case "pass", "skip", "fail", "build-fail":
		r.action = strings.TrimPrefix(ev.Action, "build-")
		r.took += time.Duration(ev.Elapsed * float64(time.Second))
		if r.action == "fail" {
			r.failed++
		}
	}
}

// onceOnly matches the packages, besides those without goroutines, whose tests get no second run:
// no other process on the machine can change their results.
var onceOnly = regexp.MustCompile(`^(simtest|internal/lab|internal/app/perturbation|` +
	`test/(recordings|importrules|prose))(/|$)`)

// repeats reports whether a failure of a package's tests is tried once more.
func repeats(pkg string) bool { return !onceOnly.MatchString(pkg) && !alone(pkg) }

// alone reports whether a package's tests run without the race detector (importrules.Rule.Alone).
func alone(pkg string) bool {
	for _, r := range importrules.Rules {
		if r.Package == pkg {
			return r.Alone()
		}
	}
	return false
}

// inner reports whether a test's result is that of one of its subtests.
func (o *outcome) inner(r *result) bool {
	for _, sub := range o.results {
		if sub.pkg == r.pkg && sub.failed > 0 && strings.HasPrefix(sub.test, r.test+"/") {
			return true
		}
	}
	return false
}

// failures returns the tests that failed, and the packages that failed without one. aloneOnly are
// those that passed when they ran once more, alone.
func (o *outcome) failures() (failed, aloneOnly []*result) {
	some := map[string]bool{}
	for _, r := range o.results {
		if r.test == "" || r.action != "" && r.failed == 0 || o.inner(r) {
			continue
		}
		some[r.pkg] = true
		if r.action == "pass" && repeats(r.pkg) {
			aloneOnly = append(aloneOnly, r)
		} else {
			failed = append(failed, r)
		}
	}
	for _, r := range o.results {
		if r.test == "" && r.action != "pass" && r.action != "skip" && !some[r.pkg] {
			failed = append(failed, r)
		}
	}
	return failed, aloneOnly
}
