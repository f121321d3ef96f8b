package prose

import (
	"bytes"
	"regexp"
	"strings"
)

var (
	inlineCode = regexp.MustCompile("`[^`\n]*`")
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	notAnchor  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	listItem   = regexp.MustCompile(`^\s*([-*]|[0-9]+\.) `)
)

// document is a Markdown file by lines.
type document struct {
	lines []string
	code  []bool // the line is of a code block
}

// newDocument finds the code blocks: fenced ones, and those indented after an empty line. A list's
// continuation is indented and no code.
func newDocument(source []byte) document {
	d := document{lines: strings.Split(string(source), "\n")}
	d.code = make([]bool, len(d.lines))
	fenced, indented, list := false, false, false
	for i, line := range d.lines {
		blank := strings.TrimSpace(line) == ""
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced = !fenced
			d.code[i] = true
		case fenced:
			d.code[i] = true
		case blank:
			d.code[i] = indented
		case strings.HasPrefix(line, "    ") && !list &&
			(indented || i == 0 || strings.TrimSpace(d.lines[i-1]) == ""):
			indented, d.code[i] = true, true
		case listItem.MatchString(line):
			indented, list = false, true
		case !strings.HasPrefix(line, " "):
			indented, list = false, false
		}
	}
	return d
}

// Markdown checks a Markdown file: the width of its lines and its phrases. A generated file's are
// checked where they are written.
func Markdown(source []byte) []Finding {
	if bytes.Contains(source, []byte("\n<!-- Generated from ")) {
		return nil
	}
	d := newDocument(source)
	var out []Finding
	var p passage
	flush := func() {
		out = append(out, p.phrases()...)
		p = passage{}
	}
	for i, line := range d.lines {
		table := strings.HasPrefix(strings.TrimSpace(line), "|")
		if !d.code[i] && !table {
			out = append(out, tooWide(line, i+1)...)
		}
		line = inlineCode.ReplaceAllString(line, "`code`")
		switch {
		case d.code[i], strings.TrimSpace(line) == "":
			flush()
		case table:
			flush()
			out = append(out, passage{i + 1, line}.phrases()...)
		case strings.HasPrefix(line, "#"): // a heading is no sentence
			flush()
		case p.text == "" || listItem.MatchString(line):
			flush()
			p = passage{i + 1, line}
		default:
			p.text += "\n" + line
		}
	}
	flush()
	return out
}

// Link is a relative link of a Markdown file.
type Link struct {
	Line         int
	Path, Anchor string // either may be empty
}

// Links returns the relative links of a Markdown file.
func Links(source []byte) []Link {
	d := newDocument(source)
	var out []Link
	for i, line := range d.lines {
		if d.code[i] {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(inlineCode.ReplaceAllString(line, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			path, anchor, _ := strings.Cut(m[1], "#")
			out = append(out, Link{i + 1, path, anchor})
		}
	}
	return out
}

// Anchors returns the names by which links reach a Markdown file's headings, as GitHub makes them.
func Anchors(source []byte) map[string]bool {
	d := newDocument(source)
	out := map[string]bool{}
	for i, line := range d.lines {
		if title := strings.TrimLeft(line, "#"); title != line && !d.code[i] {
			title = notAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			out[strings.ReplaceAll(title, " ", "-")] = true
		}
	}
	return out
}
