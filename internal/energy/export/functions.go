package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// FunctionsCSV writes the functions whose calls were counted, with SI units in the column names.
// Unknown values are empty.
func FunctionsCSV(w io.Writer, p *profile.Profile) error {
	out, f, unit := csv.NewWriter(w), p.Functions, unitOf(p)
	head := []string{"function", "module", "calls", "records", "mean_" + unit,
		"mean_low_95_" + unit, "mean_high_95_" + unit, "deviation_" + unit, "least_" + unit,
		"most_" + unit, "wall_s", "cpu_s", "clock_hz", "switches", "recursive", "short",
		"total_" + unit, "sampled_" + unit}
	for _, c := range f.Counters {
		head = append(head, printable.Cell(c))
	}
	_ = out.Write(head) // the writer keeps its error
	maybe := func(nj *int64) string {
		if nj == nil {
			return ""
		}
		return number(float64(*nj) / 1e9)
	}
	for i := range f.List {
		x := &f.List[i]
		cells := []string{printable.Cell(x.Name), printable.Cell(x.Module),
			strconv.FormatUint(x.Calls, 10), strconv.Itoa(x.Records)}
		if x.Records > 0 {
			cells = append(cells, number(float64(x.MeanNJ)/1e9), maybe(x.LowNJ), maybe(x.HighNJ),
				number(float64(x.DeviationNJ)/1e9), number(float64(x.LeastNJ)/1e9),
				number(float64(x.MostNJ)/1e9), number(float64(x.WallNS)/1e9),
				number(float64(x.CPUNS)/1e9), strconv.FormatInt(x.FreqHz, 10), number(x.Switches),
				strconv.FormatBool(x.Recursive), strconv.FormatBool(x.Short),
				number(float64(x.TotalNJ)/1e9))
		} else {
			cells = append(cells, make([]string, 13)...)
		}
		cells = append(cells, number(float64(x.SampledNJ)/1e9))
		for k := range f.Counters {
			if k < len(x.Counts) {
				cells = append(cells, number(x.Counts[k]))
			} else {
				cells = append(cells, "")
			}
		}
		_ = out.Write(cells)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
