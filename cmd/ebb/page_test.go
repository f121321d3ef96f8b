package main

import (
	"strings"
	"testing"
)

// On a narrow terminal the lines of a summary are broken between words, with their text below their
// text; bars are not.
func TestSummaryFitsThePage(t *testing.T) {
	const text = "ebb: java (process 1), shadow mode, nothing was written\n" +
		"  time        10.84s, 0.3% of it with no thread running\n" +
		"  slowdown    4.9% predicted, budget 5.0% (no counters of memory stalls: all running time is taken to scale with the clock)\n" +
		"                3.375GHz   0.1% ########################################\n"
	const want = "ebb: java (process 1), shadow mode, nothing was written\n" +
		"  time        10.84s, 0.3% of it with no thread running\n" +
		"  slowdown    4.9% predicted, budget 5.0% (no counters of\n" +
		"              memory stalls: all running time is taken to\n" +
		"              scale with the clock)\n" +
		"                3.375GHz   0.1% ########################################\n"
	for width, w := range map[int]string{60: want, 1000: text} {
		var b strings.Builder
		if fit(&b, text, width); b.String() != w {
			t.Errorf("%d wide:\n%s\nwant\n%s", width, b.String(), w)
		}
	}
}
