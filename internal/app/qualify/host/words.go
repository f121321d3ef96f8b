package host

import (
	"slices"
	"strings"
)

// words keeps the end of a command's standard error, which may be without end.
type words []byte

// mostWords bounds the bytes that are kept, and mostQuoted those that are shown.
const mostWords, mostQuoted = 4096, 300

// Write implements io.Writer.
func (w *words) Write(p []byte) (int, error) {
	*w = append(*w, p[max(len(p)-mostWords, 0):]...)
	if over := len(*w) - mostWords; over > 0 {
		*w = slices.Delete(*w, 0, over)
	}
	return len(p), nil
}

// last returns the last line, as the end of an error.
func (w words) last() string {
	lines := strings.Split(strings.TrimSpace(string(w)), "\n")
	last := strings.ToValidUTF8(strings.TrimSpace(lines[len(lines)-1]), "?")
	if last == "" {
		return ""
	}
	return "; it said: " + strings.ToValidUTF8(last[:min(len(last), mostQuoted)], "")
}
