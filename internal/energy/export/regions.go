package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// RegionsCSV writes regions and their iterations, with SI units in the column names. Iteration 0
// stands for all of a region.
func RegionsCSV(w io.Writer, p *profile.Profile, rows []profile.RegionRow) error {
	out := csv.NewWriter(w)
	record := func(fields ...string) { _ = out.Write(fields) } // the writer keeps its error
	if p.Joules() {
		record("region", "iteration", "from_s", "duration_s", "cpu_s", "energy_j", "total_j",
			"samples")
	} else {
		record("region", "iteration", "from_s", "duration_s", "cpu_s", "samples")
	}
	number := func(nano int64) string { return strconv.FormatFloat(float64(nano)/1e9, 'g', 9, 64) }
	for i := range rows {
		r := &rows[i]
		cells := []string{printable.Cell(r.Name), strconv.Itoa(r.Iteration), number(r.FromNS),
			number(r.DurNS), number(r.TimeNS)}
		if p.Joules() {
			cells = append(cells, number(r.Energy), number(r.TotalNJ))
		}
		record(append(cells, strconv.Itoa(r.Samples))...)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
