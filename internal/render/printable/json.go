package printable

import (
	"io"
	"unicode"
	"unicode/utf8"
)

// JSON returns a writer of whole JSON texts, one each Write, as json.Encoder's are. encoding/json
// leaves some characters as they are that a terminal obeys. They can only be in strings, where
// \uNNNN means the same.
func JSON(w io.Writer) io.Writer { return jsonWriter{w} }

type jsonWriter struct{ w io.Writer }

func (j jsonWriter) Write(text []byte) (int, error) {
	from := 0
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf && c != 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if unicode.IsPrint(r) || r > 0xffff {
			i += n
			continue
		}
		if _, err := j.w.Write(text[from:i]); err != nil {
			return from, err
		}
		const digits = "0123456789abcdef"
		escaped := []byte{'\\', 'u', digits[r>>12&15],
			digits[r>>8&15], digits[r>>4&15], digits[r&15]}
		if _, err := j.w.Write(escaped); err != nil {
			return i, err
		}
		i += n
		from = i
	}
	_, err := j.w.Write(text[from:])
	if err != nil {
		return from, err
	}
	return len(text), nil
}
