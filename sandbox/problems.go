package sandbox

import (
	"slices"
	"strings"
)

// Bounds of the sentences that the child may say.
const (
	maxProblems    = 100
	maxProblemText = 512
)

type problems struct{ list []string }

// add keeps a sentence, once.
func (p *problems) add(text string) {
	text = strings.ToValidUTF8(text[:min(len(text), maxProblemText)], "?")
	if text != "" && len(p.list) < maxProblems && !slices.Contains(p.list, text) {
		p.list = append(p.list, text)
	}
}
