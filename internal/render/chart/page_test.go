package chart

import (
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"
)

func write(t *testing.T, p *Page) string {
	t.Helper()
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestNamesOfOthers: whatever a page shows becomes neither markup nor an invisible character.
func TestNamesOfOthers(t *testing.T) {
	const evil = "<script>x</script>\u202eevil\x1b[2J\u009b\x00"
	p := Page{Title: evil, Heading: evil, Nav: []Link{{ID: evil, Text: evil}},
		Content: Content("evil", "<p title=\"{{.}}\">{{.}}</p>\n<pre>a\nb</pre>\n"), Data: evil}
	got := write(t, &p)
	if strings.Contains(got, "<script>") || strings.ContainsAny(got, "\u202e\x1b\u009b\x00") {
		t.Errorf("%q", got)
	}
	if n := strings.Count(got, `\u202eevil`); n != 5 { // that of the link's target is percent-encoded
		t.Errorf("%d escapes in %q", n, got)
	}
	if !strings.Contains(got, "<pre>a\nb</pre>") {
		t.Error("ends of lines are lost")
	}
}

// TestNeedsNothingElse: no page loads anything, and each is whole.
func TestNeedsNothingElse(t *testing.T) {
	got := write(t, &Page{Heading: "h", Content: Content("c", "text\n")})
	if !strings.HasSuffix(strings.TrimSpace(got), "</html>") ||
		!strings.Contains(got, "<title>h</title>") {
		t.Errorf("not whole: %s", got)
	}
	for _, bad := range []string{"src=", "href=", "http", "@import", "url(", "<nav", "ZgotmplZ"} {
		if strings.Contains(got, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if !strings.Contains(got, "prefers-color-scheme: dark") {
		t.Error("no colours for a dark background")
	}
}

// TestClassesOfFigures: the style sheet has a rule for each class that a drawing uses.
func TestClassesOfFigures(t *testing.T) {
	figures := []Figure{
		&Bars{Groups: []string{"g"}, Levels: []Level{{Name: "l", At: 1}},
			Series: []Series{{Name: "s", Values: []float64{1}, Low: []float64{0},
				High: []float64{2}}}},
		&Lines{Lines: []Line{
			{Name: "l", X: []float64{0, 1}, Y: []float64{1, math.NaN()}},
		}},
	}
	figures = append(figures, Parts{Parts: []Part{{Name: "p", Value: 1}}})
	sheet := style + css
	for _, f := range figures {
		svg := string(FigureHTML(f))
		for _, m := range regexp.MustCompile(`class="([^"]*)"`).FindAllStringSubmatch(svg, -1) {
			for _, class := range strings.Fields(m[1]) {
				if !strings.Contains(sheet, "."+class) {
					t.Errorf("no rule for class %s of %.80s", class, svg)
				}
			}
		}
	}
}

type full struct{}

var errFull = errors.New("no space is left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestErrors: Write reports a content that cannot be made, and a file that is full.
func TestErrors(t *testing.T) {
	p := &Page{Content: Content("c", "{{.Missing}}"), Data: struct{}{}}
	if err := p.Write(&strings.Builder{}); err == nil {
		t.Error("no error of a content that cannot be made")
	}
	p = &Page{Content: Content("c", "text")}
	if err := p.Write(full{}); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}
