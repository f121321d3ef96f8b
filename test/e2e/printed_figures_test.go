package e2e

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// figure is a number as ebb printed it: the truth lies between its ends, in nJ or percent.
type figure struct {
	text      string
	low, high float64
}

// is reports whether a quantity is printed so.
func (f figure) is(quantity float64) bool {
	room := 1e-9 * math.Abs(quantity)
	return quantity >= f.low-room && quantity <= f.high+room
}

// figures are those that an expression with digits, decimals and a unit finds.
func figures(t *testing.T, text string, by *regexp.Regexp) (out []figure) {
	t.Helper()
	for _, m := range by.FindAllStringSubmatch(text, -1) {
		v, err := strconv.ParseFloat(m[1]+m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		unit := scale[m[3]]
		half := unit / 2 * math.Pow10(-max(len(m[2])-1, 0))
		if m[2] == "" && len(m[1]) > 1 { // four digits are printed, and trailing zeros are not
			half = max(half, v*unit*5e-4)
		}
		// A zero that ends the decimals is left out: 2.83 may be 2.830.
		half = max(half, v*unit*5e-5)
		out = append(out, figure{m[0], v*unit - half, v*unit + half})
	}
	return out
}

// quantities are all energies of a report, in nJ, by what they are.
func quantities(r *report.Report, rows []profile.Row) map[string]float64 {
	q := map[string]float64{}
	add := func(name string, nJ int64) { q[name] += float64(nJ) }
	for i := range r.Energy {
		if z := &r.Energy[i]; z.Joules() {
			for _, of := range []string{z.Zone, "all"} {
				add("used by "+of+", "+z.Source, z.EnergyNJ)
				add("at the highest clock by "+of+", "+z.Source, z.MaxFreqNJ)
			}
		}
	}
	if a := r.Attribution; a != nil && a.Joules() {
		for i := range a.Zones {
			z := &a.Zones[i]
			for _, of := range []string{z.Name, "all"} {
				add("total of "+of, z.TotalNJ)
				add("attributed of "+of, z.Attr[0])
				add("others of "+of, z.OthersNJ[0])
				add("idle of "+of, z.IdleNJ[0])
				add("unattributed of "+of, z.RestNJ[0])
			}
		}
		if e, known := a.Own(0); known {
			q["ebb itself"] = float64(e)
		}
		rest := q["attributed of all"]
		for i := range rows {
			q["row "+rows[i].Unit] = float64(rows[i].Energy)
			rest -= float64(rows[i].Energy)
			q[fmt.Sprintf("rows after %d", i+1)] = rest
		}
	}
	if p := r.Power; p != nil && p.LowNJ != nil {
		q["the machine at least"], q["the machine at most"] = float64(*p.LowNJ), float64(*p.HighNJ)
	}
	if p := r.Power; p != nil && p.Trained != nil {
		q["trained"] = float64(p.Trained.EnergyNJ)
		if p.Trained.LowNJ != nil {
			q["trained, low"] = float64(*p.Trained.LowNJ)
			q["trained, high"] = float64(*p.Trained.HighNJ)
		}
	}
	return q
}
