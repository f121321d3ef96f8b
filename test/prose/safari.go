package prose

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// gap separates the cells of a table of make safari; within a cell there is at most one blank.
var gap = regexp.MustCompile(` {2,}`)

// safari adds what make safari prints: by the table, the row and the column ("II, bt, gprof"). Of
// table III the row also has its n ("III, bt 4, m = 2"), table IV has no columns ("IV, gprof"), and
// the table of two rates of calls is "rates". Table I is of single runs, and is left out.
func (f figures) safari(r io.Reader) error {
	var table string
	var head []string
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		cells := gap.Split(strings.TrimSpace(line), -1)
		switch name, _, isTable := strings.Cut(line, ":"); {
		case isTable && strings.HasPrefix(name, "Table "):
			table, head = strings.TrimPrefix(name, "Table "), nil
		case strings.HasPrefix(line, "CPU time over that without hooks at two rates"):
			table, head = "rates", nil
		case line == "" || table == "I" || !strings.HasPrefix(line, "  ") || len(cells) < 2:
		case table == "IV":
			if err := f.cell("safari IV, "+cells[0], cells[1], "ns"); err != nil {
				return err
			}
		case head == nil:
			head = cells
		default:
			row := cells[0]
			if table == "III" {
				row += " " + cells[1]
			}
			for i := len(cells) - 1; i > 0 && i < len(head); i-- {
				key := fmt.Sprintf("safari %s, %s, %s", table, row, head[i])
				if err := f.cell(key, cells[i], ""); err != nil {
					return err
				}
			}
		}
	}
	return lines.Err()
}

// cell adds a figure: the number at the begin of a cell, in percent where a sign says so.
func (f figures) cell(key, cell, unit string) error {
	first, _, _ := strings.Cut(cell, " ")
	digits, percent := strings.CutSuffix(first, "%")
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if percent {
		unit = "%"
	}
	f[key] = figure{v, unit}
	return nil
}
