package main

import (
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/predictor"
)

// choicesHelp lists the models and estimators by name, ebb's own first and then those of the paper
// with their sections.
func choicesHelp() string {
	var b strings.Builder
	list := func(title string, choices []predictor.Choice) {
		fmt.Fprintf(&b, "\n%s:\n", title)
		for _, c := range choices {
			line := fmt.Sprintf("  %-18s  %s", c.Name, c.Doc)
			if c.Printed() {
				line += fmt.Sprintf(" (%s)", c.Section)
			}
			command.Fit(&b, line+"\n", 22, command.VerbatimColumns)
		}
	}
	own, printed := apart(predictor.Models())
	list("Models of ebb's own", own)
	list("Models of the paper (DEP+BURST, by section)", printed)
	list("Critical threads of dep (--ctp)", predictor.CriticalThreads())
	own, printed = apart(predictor.Estimators())
	list("Estimators of ebb's own", own)
	list("Estimators of the paper", printed)
	return strings.TrimSuffix(b.String(), "\n")
}

// apart separates ebb's own from what the paper prints.
func apart(choices []predictor.Choice) (own, printed []predictor.Choice) {
	for _, c := range choices {
		if c.Printed() {
			printed = append(printed, c)
		} else {
			own = append(own, c)
		}
	}
	return own, printed
}
