package groups

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// mostName bounds the bytes of a name. A longer one is cut, and gets a checksum of its whole
	// text, so that two long names stay distinct.
	mostName = 200
	// shortID is the number of digits of a container's id that engines show.
	shortID = 12
	// leastID is the least number of digits of an id.
	leastID = 32
)

// numbered reports whether a part is a prefix and a number.
func numbered(part, prefix string) bool {
	n, ok := strings.CutPrefix(part, prefix)
	return ok && digits(n)
}

func digits(s string) bool { return s != "" && len(s) <= 20 && strings.Trim(s, "0123456789") == "" }

// isID reports whether a text is a container's id.
func isID(s string) bool {
	return len(s) >= leastID && len(s) <= 64 && strings.Trim(s, "0123456789abcdef") == ""
}

func short(id string) string { return id[:min(len(id), shortID)] }

// unhex undoes systemd's escapes of bytes in units' names (systemd.unit(5)): \x2d is a dash. A byte
// that is not a printable ASCII character stays escaped.
func unhex(s string) string {
	if !strings.Contains(s, `\x`) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) && s[i+1] == 'x' {
			n, err := strconv.ParseUint(s[i+2:i+4], 16, 8)
			if err == nil && n > ' ' && n < 0x7f && n != '/' {
				out.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// bounded returns a name as text of one line. It escapes unprintable characters and cuts names that
// are too long.
func bounded(name string) string {
	var out strings.Builder
	cut := false
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		text := name[i : i+n]
		if r == utf8.RuneError && n == 1 || !unicode.IsPrint(r) {
			text = ""
			for _, b := range []byte(name[i : i+n]) {
				text += fmt.Sprintf(`\x%02x`, b)
			}
		}
		const sum = len("...#0123456789abcdef")
		if out.Len()+len(text) > mostName-sum {
			cut = true
			break
		}
		out.WriteString(text)
		i += n
	}
	if !cut {
		return out.String()
	}
	h := fnv.New64a()
	h.Write([]byte(name)) // never fails
	return fmt.Sprintf("%s...#%016x", out.String(), h.Sum64())
}
