package prose

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// columns is the width that lines may have, tabWidth that of a tab.
const (
	columns  = 100
	tabWidth = 4
)

// Finding is a place in a text that breaks a rule.
type Finding struct {
	Line int    // of the file, from 1
	Rule string // "width", "link" or a phrase's name
	What string // for whoever fixes it
}

// passage is a piece of running text and the line of the file that it begins at.
type passage struct {
	line int
	text string
}

// phrases finds the phrases of a passage.
func (p passage) phrases() []Finding {
	var out []Finding
	for _, phrase := range phrases {
		for _, at := range phrase.match.FindAllStringIndex(p.text, -1) {
			// A match may begin with the end of the sentence before.
			found := p.text[at[0]:at[1]]
			start := at[0] + len(found) - len(strings.TrimLeft(found, ".!?: \n\t"))
			out = append(out, Finding{
				Line: p.line + strings.Count(p.text[:start], "\n"),
				Rule: phrase.Name,
				What: fmt.Sprintf("%q: write %s", short(found), phrase.Instead),
			})
		}
	}
	return out
}

// short is the beginning of a match on one line.
func short(s string) string {
	s = strings.Join(strings.Fields(strings.TrimLeft(s, ".!?: \n\t")), " ")
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "..."
	}
	return s
}

// tooWide reports a line that has more than Columns.
func tooWide(line string, number int) []Finding {
	width := utf8.RuneCountInString(line) + (tabWidth-1)*strings.Count(line, "\t")
	if width <= columns || strings.Contains(line, "://") {
		return nil
	}
	return []Finding{{number, "width", fmt.Sprintf("%d columns: fold at %d", width, columns)}}
}
