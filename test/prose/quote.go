package prose

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// block is a paragraph, a list or a table of a page.
type block struct {
	Line int    // number of its first line
	Text string // text without comments and code
	// Quotes are the figures that the comment before it lists, in the order in which they stand in
	// it: keys of figures, or literals in quotation marks. None: there is no comment.
	Quotes []string
	Output string // the file that a block of code is an excerpt of; "" for none
	Code   bool
}

// Marks of comments.
const (
	quoting = "<!-- figures: "
	showing = "<!-- output: "
	ending  = " -->"
)

// blocks cuts a page.
func blocks(page string) (out []block) {
	var b block
	var lines []string
	var comment strings.Builder
	flush := func() {
		if len(lines) > 0 {
			b.Text, b.Code = strings.Join(lines, "\n"), strings.HasPrefix(lines[0], "    ")
			out = append(out, b)
			b, lines = block{}, nil
		}
	}
	for i, line := range strings.Split(page, "\n") {
		switch {
		case comment.Len() > 0 || strings.HasPrefix(line, quoting) ||
			strings.HasPrefix(line, showing):
			flush()
			comment.WriteString(" " + line)
			if strings.HasSuffix(line, ending) {
				b.mark(strings.TrimSuffix(strings.TrimSpace(comment.String()), ending))
				comment.Reset()
			}
		case strings.TrimSpace(line) == "":
			if len(lines) > 0 && !strings.HasPrefix(lines[0], "    ") {
				flush()
			}
		default:
			if len(lines) == 0 {
				b.Line = i + 1
			} else if strings.HasPrefix(lines[0], "    ") && line != "" &&
				!strings.HasPrefix(line, "    ") {
				flush()
				b.Line = i + 1
			}
			lines = append(lines, line)
		}
	}
	flush()
	return out
}

// mark takes over what a comment says of the block behind it.
func (b *block) mark(comment string) {
	if name, ok := strings.CutPrefix(comment, showing); ok {
		b.Output = strings.TrimSpace(name)
		return
	}
	for quote := range strings.SplitSeq(strings.TrimPrefix(comment, quoting), "|") {
		b.Quotes = append(b.Quotes, strings.Join(strings.Fields(quote), " "))
	}
}

// Measured is a number in a text that could have been measured: with a unit, with decimals, or in
// brackets behind another.
var measured = regexp.MustCompile(`[0-9][0-9,]*\.?[0-9]*(?: ?(%|points|times|MiB|KiB|MB|KB|kB|ns|us|ms|s|mJ|nJ|J|W)\b| ?%|\))?`)

// number is the number of what measured finds.
var number = regexp.MustCompile(`^[0-9.,]*`)

// measuredNumber is a number of a text as it stands there.
type measuredNumber struct {
	Text     string
	Value    float64
	Decimals int
	Unit     string // "" for none
}

// code is text between backquotes, and link the target of a link.
var code, quoteLink = regexp.MustCompile("`[^`]*`"), regexp.MustCompile(`\]\([^)]*\)`)

// numbers returns the numbers of a block that could be measurements.
func (b *block) numbers() (out []measuredNumber) {
	text := quoteLink.ReplaceAllString(code.ReplaceAllString(b.Text, " "), " ")
	for _, at := range measured.FindAllStringIndex(text, -1) {
		if inName.MatchString(text[:at[0]]) {
			continue
		}
		token := text[at[0]:at[1]]
		digits := strings.TrimRight(number.FindString(token), ".,")
		unit := strings.Trim(token[len(digits):], " .,")
		if unit == ")" && at[0] > 0 && text[at[0]-1] != '(' {
			unit = ""
		}
		_, decimals, hasDecimals := strings.Cut(digits, ".")
		v, err := strconv.ParseFloat(strings.ReplaceAll(digits, ",", ""), 64)
		if err != nil || unit == "" && !hasDecimals {
			continue
		}
		shown := digits
		if unit = strings.Trim(unit, ")"); unit != "" {
			shown += " " + unit
		}
		out = append(out, measuredNumber{shown, v, len(decimals), unit})
	}
	return out
}

// inName ends where a number that follows is a part of a name.
var inName = regexp.MustCompile(`[\w./]$|[\w./]-$`)

// scales are the sizes of units that figures are converted between.
var scales = map[string]float64{"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1,
	"nJ": 1e-9, "mJ": 1e-3, "J": 1}

// is reports whether a number of a text is a figure, rounded to the text's digits. Signs do not
// count: a text says in words which way an error goes.
func (n *measuredNumber) is(f figure) bool {
	v := math.Abs(f.Value)
	from := f.Unit // ns/op, us-low
	if i := strings.IndexAny(from, "/-"); i >= 0 {
		from = from[:i]
	}
	if a, b := scales[from], scales[n.Unit]; a > 0 && b > 0 {
		v *= a / b
	}
	return strconv.FormatFloat(v, 'f', n.Decimals, 64) == strconv.FormatFloat(n.Value, 'f',
		n.Decimals, 64)
}

// check holds a block against the figures that it quotes.
func (b *block) check(f figures) error {
	numbers := b.numbers()
	if len(numbers) != len(b.Quotes) {
		return fmt.Errorf("%d figures in the text, %d in the comment before it: %v", len(numbers),
			len(b.Quotes), numbers)
	}
	for i, quote := range b.Quotes {
		n := &numbers[i]
		if literal, ok := strings.CutPrefix(quote, `"`); ok {
			if strings.TrimSuffix(literal, `"`) != n.Text {
				return fmt.Errorf("figure %d is %s, %s in the comment", i+1, n.Text, quote)
			}
			continue
		}
		figure, ok := f[quote]
		if !ok {
			return fmt.Errorf("figure %d, %s: no file has %q", i+1, n.Text, quote)
		}
		if !n.is(figure) {
			return fmt.Errorf("figure %d is %s, but %s is %v %s", i+1, n.Text, quote, figure.Value,
				figure.Unit)
		}
	}
	return nil
}
