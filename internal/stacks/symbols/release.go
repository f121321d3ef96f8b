package symbols

import (
	"bufio"
	"bytes"
	"strings"
)

// Release is the distribution that a root directory has, by its os-release(5).
type Release struct {
	ID       string // "debian"
	Like     string // the ones that it is made from, with spaces between them: "ubuntu debian"
	Codename string // "bookworm"; "" where it has none
}

// maxRelease bounds the file that is read, and maxReleaseWord a value that is kept, in bytes.
const (
	maxRelease     = 16 << 10
	maxReleaseWord = 64
)

// parseRelease reads an os-release file. A value that has other characters than such names have is
// left out.
func parseRelease(text []byte) (r Release) {
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

// word is a value if it has letters, digits, dots, dashes, underscores and those characters alone.
func word(value, also string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	if len(value) > maxReleaseWord || strings.Trim(value, letters+also) != "" {
		return ""
	}
	return value
}

// release is the distribution of the root that an image's process has.
func (r *Resolver) release(i Image) Release {
	b, err := firstBytes(maxRelease)(r.source.Release(i))
	if err != nil {
		return Release{} // then nobody knows
	}
	return parseRelease(b)
}
