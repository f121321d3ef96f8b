package prose

import (
	"bytes"
	"go/scanner"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// generated is the line that marks a generated file (see `go help generate`).
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// Go checks a file of Go: the width of its lines, and the phrases of its comments and strings.
func Go(source []byte) []Finding {
	if generated.Match(source) {
		return nil
	}
	passages, raw := goPassages(source)
	var out []Finding
	for i, line := range strings.Split(string(source), "\n") {
		if !raw[i+1] && !strings.HasPrefix(strings.TrimSpace(line), "//go:") {
			out = append(out, tooWide(line, i+1)...)
		}
	}
	for _, p := range passages {
		out = append(out, p.phrases()...)
	}
	return out
}

// goPassages returns the comments, those of adjacent lines as one, and the strings of a file, and
// which of its lines are of a raw string.
func goPassages(source []byte) (passages []passage, raw map[int]bool) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(file, source, nil, scanner.ScanComments)
	raw = map[int]bool{}
	comment, next := -1, 0 // the open comment's passage, and the line that would continue it
	for {
		pos, tok, text := s.Scan()
		line := file.Line(pos)
		switch {
		case tok == token.EOF:
			return passages, raw
		case tok == token.COMMENT && strings.HasPrefix(text, "//"):
			text = strings.TrimPrefix(strings.TrimPrefix(text, "//"), " ")
			if comment >= 0 && line == next {
				passages[comment].text += "\n" + text
			} else {
				comment, passages = len(passages), append(passages, passage{line, text})
			}
			next = line + 1
		case tok == token.COMMENT:
			passages = append(passages, passage{line, text})
		case tok == token.STRING && text[0] == '`':
			for i := range bytes.Count([]byte(text), []byte("\n")) + 1 {
				raw[line+i] = true
			}
			passages = append(passages, passage{line, strings.Trim(text, "`")})
		case tok == token.STRING:
			if value, err := strconv.Unquote(text); err == nil {
				passages = append(passages, passage{line, strings.ReplaceAll(value, "\n", " ")})
			}
		}
	}
}
