package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/report"
)

// narrowest is the narrowest page that text is fitted to.
const narrowest = 2 * indent

// pageWidth is how wide lines may be on w: as a terminal is, and without an end elsewhere, so that
// a search in the output finds whole sentences.
func pageWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return math.MaxInt
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return math.MaxInt
	}
	return max(int(size.Col), narrowest)
}

// wrap breaks text into lines of at most width bytes, the last of them with three words at least.
func wrap(text string, width int) []string {
	var lines [][]string
	length := 0
	for _, word := range strings.Fields(text) {
		if length += 1 + len(word); length > width || lines == nil {
			lines = append(lines, nil)
			length = len(word)
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], word)
	}
	if n := len(lines); n > 1 {
		for last := &lines[n-1]; len(*last) < 3 && len(lines[n-2]) > 3; {
			from := &lines[n-2]
			end := len(*from) - 1
			*last = append([]string{(*from)[end]}, *last...)
			*from = (*from)[:end]
		}
	}
	out := make([]string, len(lines))
	for i, words := range lines {
		out[i] = strings.Join(words, " ")
	}
	return out
}

// summaryIndent is where the text of a summary's lines begins.
const summaryIndent = 14

// printSummary prints a report's summary, with the lines that are too long for the page in several.
func printSummary(w io.Writer, r *report.Report) {
	var b bytes.Buffer
	r.WriteSummary(&b)
	fit(w, b.String(), pageWidth(w))
}

// fit breaks a summary's long lines. Its headline and the bars stay as they are.
func fit(w io.Writer, text string, width int) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if len(line) <= width || !strings.HasPrefix(line, "  ") || len(line) <= summaryIndent ||
			strings.HasSuffix(line, "#") {
			fmt.Fprintln(w, line)
			continue
		}
		head := line[:summaryIndent]
		for _, part := range wrap(line[summaryIndent:], width-summaryIndent) {
			fmt.Fprintln(w, head+part)
			head = strings.Repeat(" ", summaryIndent)
		}
	}
}
