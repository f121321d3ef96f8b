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

// clean replaces bytes that are no text, and characters that move a terminal's cursor. The child
// does so as well, but the governor does not trust it.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}

type problems struct{ list []string }

// add keeps a sentence, once.
func (p *problems) add(text string) {
	text = clean(text[:min(len(text), maxProblemText)])
	if text != "" && len(p.list) < maxProblems && !slices.Contains(p.list, text) {
		p.list = append(p.list, text)
	}
}
