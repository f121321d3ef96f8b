//go:build !race

package simhost_test

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/predictor/sensitivity"
)

// compiled is what samples find of methods that a virtual machine interprets at first, and then
// compiles again and again: of code that is new nothing is known until it is looked up.
func compiled(fn sensitivity.FunctionNumber, at time.Duration) sensitivity.FunctionNumber {
	const lookedUp = 60 * time.Millisecond
	if fn == 1 {
		at -= 30 * time.Millisecond
	}
	for _, ms := range []time.Duration{200, 600, 1500, 3000} { // it is compiled
		if since := at - ms*time.Millisecond; since >= 0 && since < lookedUp {
			return sensitivity.UnknownFunction
		}
	}
	if at < 200*time.Millisecond {
		return sensitivity.UnknownFunction // it is interpreted
	}
	return fn
}

// displaced is compiled, and once more code of the second method has taken the place of the
// first's, which ebb notices when it reads that again (internal/sandbox/origins.go).
func displaced(fn sensitivity.FunctionNumber, at time.Duration) sensitivity.FunctionNumber {
	const from, late = 2 * time.Second, 120 * time.Millisecond
	if fn == 1 && at >= from && at < from+late {
		return 0
	}
	return compiled(fn, at)
}

// TestCompiledFunctionsSave: a program whose methods are compiled as it runs keeps the budget and a
// point, also where code of one has taken another's place, and saves four fifths of what counters
// save.
func TestCompiledFunctionsSave(t *testing.T) {
	shares := trueShares(t)
	type number = sensitivity.FunctionNumber
	for name, looked := range map[string]func(number, time.Duration) number{
		"compiled": compiled, "displaced": displaced} {
		for _, p := range regular(2, 8*time.Second) {
			counted := runFunctions(t, p, 1, simulatorCounters, nil)
			p.looked = looked
			by := runFunctions(t, p, 1, nil, shares)
			c := by.log.Coverage()
			t.Logf("%s, %v: saved %.2f %% with counters, %.2f with a table; %.2f and %.2f %% "+
				"slower; known for %v of %v; dropped after %v", name, p.visits.mean,
				100*counted.saved, 100*by.saved, 100*counted.lost, 100*by.lost, c.Known, c.Running,
				by.dropped)
			if by.lost > 0.11 || name == "compiled" && by.saved < 0.8*counted.saved {
				t.Errorf("%s, %v: saved %.2f %%, with counters %.2f; %.2f %% slower", name,
					p.visits.mean, 100*by.saved, 100*counted.saved, 100*by.lost)
			}
		}
	}
}
