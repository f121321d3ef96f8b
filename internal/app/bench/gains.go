package bench

import (
	"math"
	"strings"

	"github.com/ebb-energy/ebb/internal/render/chart"
)

// gains draws the change by ebb against the best fixed clock and against the machine as found. It
// returns false where there is nothing to compare.
func (r *Result) gains() (chart.Bars, bool) {
	b := chart.Bars{Title: "ebb against the best fixed clock and the machine as found",
		Desc: "Changes of energy and time; bars are 95 % intervals",
		Y:    chart.Axis{Label: "change", Unit: "%"}, Width: pageWidth, Height: 300,
		Series: []chart.Series{{Name: "energy: below 0 ebb takes less", Colour: 1},
			{Name: "time: above 0 ebb takes longer", Colour: 7}}}
	for i := range r.Against {
		v := &r.Against[i]
		if !v.Change.Known() {
			continue
		}
		b.Groups = append(b.Groups, v.Of+" against "+v.With)
		bar(&b.Series[0], v.Change)
		bar(&b.Series[1], v.Time)
	}
	return b, len(b.Groups) > 0
}

// bar appends a difference with its interval, in percent.
func bar(s *chart.Series, i Interval) {
	lo, hi := math.NaN(), math.NaN()
	if i.bounded() {
		lo, hi = 100*i.Lo, 100*i.Hi
	}
	v := math.NaN()
	if i.Known() {
		v = 100 * i.Estimate
	}
	s.Values, s.Low, s.High = append(s.Values, v), append(s.Low, lo), append(s.High, hi)
}

// pageCell is a cell of the page's table: a figure, and below it its interval.
type pageCell struct{ Text, Interval string }

// pageRow is a row of the page's table.
type pageRow struct {
	Cells []pageCell
	Own   bool
}

// pageTable returns the table of the page. The last column, with the source of the energy, stands
// only where sources differ; otherwise the third result has the common source.
func (r *Result) pageTable() (head []string, rows []pageRow, source Source) {
	if r.Rounds == 0 {
		return nil, nil, ""
	}
	cells := r.table().Cells()
	head, source = cells[0], r.Rows[0].Source
	for i := range r.Rows {
		if r.Rows[i].Source != source {
			source = ""
			break
		}
	}
	if source != "" {
		head = head[:len(head)-1]
	}
	for i := range r.Rows {
		row := pageRow{Own: r.Rows[i].Kind != Static}
		for k, text := range cells[i+1][:len(head)] {
			c := pageCell{Text: text}
			if figure, interval, ok := strings.Cut(text, " % ("); ok && k > 0 {
				c = pageCell{figure + " %", strings.TrimSuffix(interval, ")")}
			}
			row.Cells = append(row.Cells, c)
		}
		rows = append(rows, row)
	}
	return head, rows, source
}
