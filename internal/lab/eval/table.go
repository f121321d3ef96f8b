package eval

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// table has rows laid out for people: a line per workload, a column per series and place of the
// axis.
type table struct {
	Head []string
	Rows [][]tableCell
}

type tableCell struct{ Text, Paper string }

// tableColumns is the number of columns beyond which the page has rows as data only, not as a
// table.
const tableColumns = 26

// newTable lays rows out. The table is empty when they are a course over time.
func newTable(rows []Row) (t table) {
	var workloads []string
	var columns []column
	seenW, seenC := map[string]int{}, map[column]int{}
	for _, r := range rows {
		c := column{r.Series, r.X}.key()
		if _, ok := seenW[r.Workload]; !ok {
			seenW[r.Workload] = len(workloads)
			workloads = append(workloads, r.Workload)
		}
		if _, ok := seenC[c]; !ok {
			seenC[c] = len(columns)
			columns = append(columns, column{r.Series, r.X})
		}
	}
	if len(columns) > tableColumns {
		return t
	}
	t.Head = []string{""}
	for _, c := range columns {
		t.Head = append(t.Head, c.String())
	}
	t.Rows = make([][]tableCell, len(workloads))
	for i, w := range workloads {
		t.Rows[i] = make([]tableCell, len(columns)+1)
		t.Rows[i][0].Text = w
	}
	for _, r := range rows {
		c := tableCell{Text: short(r.Value)}
		if !math.IsNaN(r.Paper) {
			c.Paper = short(r.Paper)
		}
		t.Rows[seenW[r.Workload]][seenC[column{r.Series, r.X}.key()]+1] = c
	}
	return t
}

// String returns the column's heading.
func (c column) String() string {
	if math.IsNaN(c.x) {
		return c.series
	}
	return c.series + " @ " + strconv.FormatFloat(c.x, 'f', -1, 64)
}

// short returns v with two decimals at most, for a table.
func short(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	s := fmt.Sprintf("%.2f", v)
	if math.Abs(v) >= 100 {
		s = fmt.Sprintf("%.1f", v)
	}
	if strings.Trim(s, "-0.") == "" {
		return "0"
	}
	return strings.Replace(s, "-", "−", 1)
}
