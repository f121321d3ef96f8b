package symbols

import (
	"bufio"
	"bytes"
	"strings"
)

// release names the distribution in a root directory, by its os-release(5).
type release struct {
	ID       string // "debian"
	Like     string // distributions that it derives from, separated by spaces: "ubuntu debian"
	Codename string // "bookworm"; "" where it has none
}

// maxRelease bounds the file that is read, and maxReleaseWord a value that is kept, in bytes.
const (
	maxRelease     = 16 << 10
	maxReleaseWord = 64
)

// parseRelease parses an os-release file. A value is left out if it has characters that such names
// do not have.
func parseRelease(text []byte) (r release) {
	lines := bufio.NewScanner(bytes.NewReader(text[:min(len(text), maxRelease)]))
	for lines.Scan() {
		key, value, ok := strings.Cut(lines.Text(), "=")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') &&
			value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		switch key {
		case "ID":
			r.ID = word(value, "")
		case "ID_LIKE":
			r.Like = word(value, " ")
		case "VERSION_CODENAME":
			r.Codename = word(value, "")
		}
	}
	return r
}

// word returns a value of letters, digits, dots, dashes, underscores and the characters of also. It
// returns "" for any other value.
func word(value, also string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	if len(value) > maxReleaseWord || strings.Trim(value, letters+also) != "" {
		return ""
	}
	return value
}

// release returns the distribution in the root of an image's process; empty where it cannot be
// read.
func (r *Resolver) release(i Image) release {
	b, err := firstBytes(maxRelease)(r.source.Release(i))
	if err != nil {
		return release{} // the process has ended, or has no such file
	}
	return parseRelease(b)
}
