package chart

import (
	"strings"
	"unicode/utf8"
)

// Document is a figure as a file of its own, with its style in it. Shown as an image it takes the
// light or the dark colours as its reader prefers. What XML cannot hold, such as a control
// character in a name, becomes U+FFFD.
func Document(f Figure) string {
	const begin = "<svg "
	s := strings.Map(func(c rune) rune {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xfffe || c == 0xffff {
			return utf8.RuneError
		}
		return c // what is no UTF-8 comes as that as well
	}, f.SVG())
	i := strings.IndexByte(s, '>') + 1
	return begin + `xmlns="http://www.w3.org/2000/svg" ` + s[len(begin):i] + "<style>\n" + css +
		"</style>" + s[i:] + "\n"
}
