package printable

import (
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

const (
	// All is the width of a page without an edge, as of a file or a pipe.
	All = math.MaxInt
	// mostName bounds a name in characters; leastName is what is kept for one on a narrow page, and
	// two fifths of one that is narrower still, so that an interval fits beside it.
	mostName, leastName = 100, 28
	mostFigure          = 40 // characters of a figure or a title
	gap                 = "  "
)

// Column is a column of figures. Of two that do not both fit a page, the one with the lower Weight
// goes, or the later one.
type Column struct {
	Title  string
	Weight int
}

// Table is a column of names and the columns of figures behind it.
type Table struct {
	Name    string // the title of the first column
	Columns []Column
	rows    [][]string
}

// Row adds a name, with its figures in the order of Columns. Figures that are missing stay empty.
func (t *Table) Row(name string, figures ...string) {
	row := make([]string, len(t.Columns)+1)
	row[0] = Cut(name, mostName)
	for i, f := range figures {
		row[i+1] = Cut(f, mostFigure)
	}
	t.rows = append(t.rows, row)
}

// Cells returns the titles and all rows.
func (t *Table) Cells() [][]string {
	head := []string{t.Name}
	for _, c := range t.Columns {
		head = append(head, Cut(c.Title, mostFigure))
	}
	return append([][]string{head}, t.rows...)
}

// Write prints the table in lines of at most width characters, as far as the heaviest column fits.
func (t *Table) Write(w io.Writer, width int) error {
	all := t.Cells()
	widths := make([]int, len(all[0]))
	for _, row := range all {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	shown := t.fit(widths, width)
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i][0]
	}
	names = Narrow(names, widths[0])
	var b strings.Builder
	for i, row := range all {
		line := names[i]
		line += strings.Repeat(" ", widths[0]-utf8.RuneCountInString(line))
		for i, show := range shown {
			if show {
				cell := row[i+1]
				line += gap + strings.Repeat(" ", widths[i+1]-utf8.RuneCountInString(cell)) + cell
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// fit chooses the columns that are shown, and makes the names narrower if need be.
func (t *Table) fit(widths []int, width int) (shown []bool) {
	shown = make([]bool, len(t.Columns))
	used, left := 0, len(shown)
	least := min(widths[0], leastName, width/5*2)
	for i := range shown {
		shown[i] = true
		used += len(gap) + widths[i+1]
	}
	for ; left > 1 && used+least > width; left-- {
		lightest := -1
		for i, c := range t.Columns {
			if shown[i] && (lightest < 0 || c.Weight <= t.Columns[lightest].Weight) {
				lightest = i
			}
		}
		shown[lightest] = false
		used -= len(gap) + widths[lightest+1]
	}
	widths[0] = max(min(widths[0], width-used), 1)
	return shown
}
