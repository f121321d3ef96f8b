package series

import (
	"fmt"
	"strconv"
	"strings"
)

// sample is a line of Prometheus' text format with a value.
type sample struct {
	family string
	labels []label
	value  string
}

type label struct{ name, value string }

// parse reads a line as ebb writes it: a name, labels or none, a value, no time.
func parse(line string) (s sample, err error) {
	wrong := func() (sample, error) {
		return sample{}, fmt.Errorf("no line of metrics: %.80q", line)
	}
	rest := strings.TrimLeft(line, nameDigits)
	if s.family = line[:len(line)-len(rest)]; s.family == "" {
		return wrong()
	}
	if after, ok := strings.CutPrefix(rest, "{"); ok {
		if s.labels, rest, ok = labelsOf(after); !ok {
			return wrong()
		}
	}
	value, ok := strings.CutPrefix(rest, " ")
	if !ok || value == "" || strings.ContainsAny(value, " \t{}\"") {
		return wrong()
	}
	if _, err := strconv.ParseFloat(value, 64); err != nil {
		return wrong()
	}
	s.value = value
	return s, nil
}

const nameDigits = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:"

// labelsOf reads labels up to the closing brace.
func labelsOf(text string) (all []label, rest string, ok bool) {
	for {
		if rest, ok := strings.CutPrefix(text, "}"); ok {
			return all, rest, true
		}
		if len(all) > 0 {
			if text, ok = strings.CutPrefix(text, ","); !ok {
				return nil, "", false
			}
		}
		after := strings.TrimLeft(text, nameDigits)
		name := text[:len(text)-len(after)]
		if after, ok = strings.CutPrefix(after, `="`); !ok || name == "" {
			return nil, "", false
		}
		var value string
		if value, text, ok = unquote(after); !ok {
			return nil, "", false
		}
		all = append(all, label{name, value})
	}
}

// unquote reads a label's value up to its closing quote.
func unquote(text string) (value, rest string, ok bool) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return out.String(), text[i+1:], true
		case c != '\\':
			out.WriteByte(c)
		case i+1 == len(text):
			return "", "", false
		default:
			i++
			switch text[i] {
			case 'n':
				out.WriteByte('\n')
			case '\\', '"':
				out.WriteByte(text[i])
			default:
				return "", "", false
			}
		}
	}
	return "", "", false
}

// quoted are the characters of a label's value that the format escapes.
var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// labelled is labels as the format has them, without braces.
func labelled(all []label) string {
	var b strings.Builder
	for i, l := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(l.name + `="` + quoted.Replace(l.value) + `"`)
	}
	return b.String()
}

// appendTo appends the sample's line.
func (s sample) appendTo(out []byte) []byte {
	out = append(out, s.family...)
	if len(s.labels) > 0 {
		out = append(append(append(out, '{'), labelled(s.labels)...), '}')
	}
	return append(append(append(out, ' '), s.value...), '\n')
}

// billionths reads a value as ebb writes sums, with nine places; false of any other.
func billionths(value string) (int64, bool) {
	whole, part, ok := strings.Cut(value, ".")
	if !ok || len(part) != 9 || strings.Trim(whole+part, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(whole+part, 10, 64)
	return n, err == nil
}

func valueOf(billionths int64) string {
	return fmt.Sprintf("%d.%09d", billionths/1e9, billionths%1e9)
}
