package doctor

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// indent is the column in which the details of the page begin.
const indent = 23

// colours are the states' colours on a terminal.
var colours = map[string]command.Colour{Good: command.Green, Warning: command.Yellow,
	Missing: command.Red}

// widest is the width of the page in a file or a pipe.
const widest = 119

// subjects groups the findings' subjects by the question that they answer: can ebb govern this
// machine, can it measure its energy, can it see stalls. Others come last.
var subjects = [][]string{
	{run, "frequency", "states", "actuator", "settle time", "rivals", "other ebb", "sysfs"},
	{"energy meter", "whole machine", "power"},
	{"counters", "DRAM traffic"},
}

// subject returns the place of a finding's subject in subjects.
func subject(f Finding) (group, place int) {
	for i, s := range subjects {
		if place := slices.Index(s, f.What); place >= 0 {
			return i, place
		}
	}
	return len(subjects), 0
}

// Print writes the findings as a table whose lines fit the page, a block for each question, and
// what to do next.
func Print(w io.Writer, findings []Finding) error {
	page, terminal := command.Terminal(w)
	if !terminal {
		page = widest
	}
	width, paint := page-indent, command.Painter(w)
	var b strings.Builder
	findings = slices.SortedStableFunc(slices.Values(findings), func(x, y Finding) int {
		xGroup, xPlace := subject(x)
		yGroup, yPlace := subject(y)
		return cmp.Or(cmp.Compare(xGroup, yGroup), cmp.Compare(xPlace, yPlace))
	})
	before := 0
	for i, f := range findings {
		if group, _ := subject(f); i > 0 && group != before {
			b.WriteString("\n")
		}
		before, _ = subject(f)
		lines := command.Wrap(f.Detail, width)
		if f.Advice != "" {
			lines = append(lines, command.Wrap("-> "+f.Advice, width)...)
		}
		for i, line := range lines {
			what, state := "", strings.Repeat(" ", 8)
			if i == 0 {
				what = f.What
				state = paint(colours[f.State], f.State) + state[len(f.State):]
			}
			printable.Fprintf(&b, "%-13s ", what)
			b.WriteString(state)
			printable.Fprintf(&b, " %s\n", line)
		}
	}
	b.WriteString("\n")
	for _, line := range command.Wrap("next: "+next(findings), page) {
		printable.Fprintf(&b, "%s\n", line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
