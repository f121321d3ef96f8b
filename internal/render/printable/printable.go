// Package printable makes text that other programs chose fit to be shown. Programs name their
// files, arguments, threads and functions as they like: with ends of lines, with sequences that a
// terminal obeys (ECMA-48, also by the single characters U+0080 to U+009F), with marks that turn
// the order of letters round (Unicode's UAX #9), with a spreadsheet's formulas.
//
// Escapes show what was there: \n, \t, \xNN for a byte and \uNNNN for a character. A backslash
// stays as it is, because names of systemd's units have many. The escapes are for people; JSON has
// names as they are.
//
// A Table lays such text out: the names first, figures to the right, and on a narrow page the
// columns that matter most.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name is text for one line of a terminal or a file.
func Name(s string) string {
	clean := true
	for i, r := range s {
		if !shown(s[i:], r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if shown(s[i:], r) {
			b.WriteRune(r)
		} else {
			escape(&b, s[i], r)
		}
	}
	return b.String()
}

// shown reports whether a rune at the beginning of s is a visible character or the blank.
func shown(s string, r rune) bool {
	if r == utf8.RuneError {
		_, n := utf8.DecodeRuneInString(s)
		return n > 1 // else the byte is no UTF-8
	}
	return unicode.IsPrint(r)
}

func escape(b *strings.Builder, first byte, r rune) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == utf8.RuneError || r < utf8.RuneSelf:
		fmt.Fprintf(b, `\x%02x`, first)
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// Cut is Name in at most so many characters.
func Cut(s string, most int) string {
	const longest = 10 // characters of the longest escape; a long name is cut before it is escaped
	if len(s) > most*utf8.UTFMax*longest {
		s = s[:most*utf8.UTFMax*longest]
	}
	s = Name(s)
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:max(most-1, 0)]) + "…"
}

// CutBytes cuts a text to at most so many bytes, between two characters.
func CutBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := most - len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// formulas begin with these, after blanks as well: also the wide forms that East Asian spreadsheets
// take.
const formulas = "=+-@\uff1d\uff0b\uff0d\uff20"

// Cell is Name for a cell of a table that spreadsheets read. They take what begins as a formula for
// one, whether it is quoted or not; after an apostrophe it is text. Numbers are not for Cell.
func Cell(s string) string {
	s = Name(s)
	if begin := strings.TrimLeft(s, " "); begin != "" {
		if r, _ := utf8.DecodeRuneInString(begin); strings.ContainsRune(formulas, r) {
			return "'" + s
		}
	}
	return s
}

// Frame is Name for a folded stack, in which semicolons are between names.
func Frame(s string) string {
	if s == "" {
		return "[no name]"
	}
	return strings.ReplaceAll(Name(s), ";", ":")
}
