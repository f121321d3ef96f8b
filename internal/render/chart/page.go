package chart

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

//go:embed style.css
var style string

//go:embed shell.tmpl
var shellText string

var shell = Content("shell", shellText)

// Page is one document.
type Page struct {
	Title   string // the window's; the heading where it is empty
	Heading string
	// Refresh is the time after which a browser loads the page anew, in seconds; 0: never.
	Refresh int
	Nav     []Link // none: no navigation
	// Content makes what follows the heading, from Data.
	Content func() *template.Template
	Data    any
}

// Link leads to the element of the page that has the id.
type Link struct{ ID, Text string }

// Content is the template of a page's content. It is parsed when a page is first made of it: else
// every start of ebb would parse all templates. A mistake in it panics then.
func Content(name, text string) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
		return template.Must(template.New(name).Parse(text))
	})
}

// FigureHTML returns a drawing as a part of a content's data. Drawings escape their own texts. In a
// narrow window a drawing scrolls, because letters that shrink with it cannot be read.
func FigureHTML(f Figure) template.HTML {
	return template.HTML(`<div class="figure">` + f.SVG() + `</div>`)
}

// Write writes the document.
func (p *Page) Write(w io.Writer) error {
	var body, whole bytes.Buffer
	if err := p.Content().Execute(&body, p.Data); err != nil {
		return fmt.Errorf("make the page: %w", err)
	}
	title := p.Title
	if title == "" {
		title = p.Heading
	}
	err := shell().Execute(&whole, struct {
		Title, Heading string
		Refresh        int
		Style          template.CSS
		Nav            []Link
		Body           template.HTML
	}{title, p.Heading, p.Refresh, template.CSS(style + css), p.Nav,
		template.HTML(body.String())})
	if err != nil {
		return fmt.Errorf("make the page: %w", err)
	}
	if _, err := io.WriteString(w, visible(whole.String())); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// visible shows as escapes what printable.Name does, but keeps the ends of lines.
func visible(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = printable.Name(line)
	}
	return strings.Join(lines, "\n")
}
