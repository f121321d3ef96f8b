package export

import (
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// onceLine stands for all rows with one sample each. Such a row says little, and a run has many.
type onceLine struct {
	Unit, Share, Energy, Time string
	Samples                   int
	Names                     []string // the first ones
	Unnamed                   int      // number of the other names
	Network                   []string // empty cells, as many as a row has
}

// maxOnceNames bounds the names on a onceLine.
const maxOnceNames = 60

// unitsOf maps a view to the name of its unit.
var unitsOf = map[string]string{"method": "function", "class": "class", "package": "package",
	"thread": "thread", "process": "process"}

// withoutOnce splits off the rows with one sample each, where there are several, and adds them up.
func withoutOnce(p *profile.Profile, view string, rows []profile.Row) ([]profile.Row, *onceLine) {
	var rest []profile.Row
	var energy, ns int64
	share, line := 0.0, onceLine{}
	for i := range rows {
		x := &rows[i]
		if x.Samples != 1 {
			rest = append(rest, *x)
			continue
		}
		energy, ns, share = energy+x.Energy, ns+x.TimeNS, share+x.Share
		if line.Samples++; len(line.Names) < maxOnceNames {
			line.Names = append(line.Names, short(printable.Name(x.Unit)))
		}
	}
	if line.Samples < 2 {
		return rows, nil
	}
	unit := unitsOf[view]
	if unit == "" {
		unit = "row"
	}
	line.Unit = printable.Count(line.Samples, unit) + " with one sample each"
	line.Unnamed = line.Samples - len(line.Names)
	line.Share, line.Energy = printable.Percent(share), units.Energy(energy).String()
	line.Time = printable.Seconds(ns)
	if p.Network != nil {
		line.Network = make([]string, len(p.Network.Cells(&profile.Traffic{})))
	}
	return rest, &line
}
