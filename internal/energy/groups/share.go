package groups

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/units"
)

// Share is the way in which idle energy is divided over the groups.
type Share string

const (
	NoShare   Share = ""         // idle energy belongs to nobody
	Equal     Share = "equal"    // the same part for each group that exists
	Reserved  Share = "reserved" // by each group's reserved part of the machine
	ByCPUTime Share = "cpu-time" // by each group's CPU time in the window
)

// Shares are the ways to divide idle energy.
var Shares = []Share{Equal, Reserved, ByCPUTime}

// ParseShare reads the name of a way; "" is NoShare.
func ParseShare(s string) (Share, error) {
	if s == "" || slices.Contains(Shares, Share(s)) {
		return Share(s), nil
	}
	var all []string
	for _, x := range Shares {
		all = append(all, string(x))
	}
	return NoShare, fmt.Errorf("no way %q to share idle energy; there are %s", s,
		strings.Join(all, ", "))
}

// shareIdle divides a window's idle energy of a zone over the groups, beside their own. Without a
// group to take it, it stays nobody's.
func (a *Account) shareIdle(zone int, idle units.Energy) {
	if a.share == NoShare || idle <= 0 {
		return
	}
	z := &a.zones[zone]
	weights := make([]float64, len(a.uses))
	for i := range a.uses {
		switch u := &a.uses[i]; a.share {
		case Equal:
			weights[i] = 1
		case Reserved:
			weights[i] = u.Reserved
		case ByCPUTime:
			weights[i] = float64(on(z, u.Time))
		}
	}
	parts, some := energy.Divide(idle, weights, nil)
	if !some {
		return
	}
	for i, e := range parts {
		a.uses[i].row.Idle[zone] += e
	}
	a.divided[zone] += idle
}

// CPU returns the sums of CPU time.
func (a *Account) CPU() Times { return a.cpu }

// IdlePower returns the idle power of each zone; 0: not known yet.
func (a *Account) IdlePower() (out []units.Power) {
	for i := range a.floors {
		out = append(out, a.floors[i].idle)
	}
	return out
}

// Totals returns the zones' totals.
func (a *Account) Totals() []energy.Totals { return a.totals }

// Rows returns all groups, by kind and name.
func (a *Account) Rows() []Row {
	rows := make([]Row, 0, len(a.rows))
	for _, r := range a.rows {
		out := *r
		out.Energy = slices.Clone(r.Energy)
		out.Low, out.High = slices.Clone(r.Low), slices.Clone(r.High)
		out.Idle = slices.Clone(r.Idle)
		rows = append(rows, out)
	}
	slices.SortFunc(rows, func(x, y Row) int {
		return strings.Compare(x.Kind+"\x00"+x.Name.Name, y.Kind+"\x00"+y.Name.Name)
	})
	return rows
}

// Check verifies that all parts add up.
func (a *Account) Check() error {
	sums, idle := make([]units.Energy, len(a.floors)), make([]units.Energy, len(a.floors))
	var cpu time.Duration
	for _, r := range a.Rows() {
		cpu += r.CPU
		for i, e := range r.Energy {
			sums[i] += e
		}
		for i, e := range r.Idle {
			idle[i] += e
		}
	}
	for i, t := range a.totals {
		if sum := t.Attributed + t.Others + t.Idle + t.Unattributed; sum != t.Measured {
			return fmt.Errorf("%w: %s: %d nJ of %d", energy.ErrUnbalanced, a.zones[i].Name, sum,
				t.Measured)
		}
		if sums[i] != t.Attributed || idle[i] != a.divided[i] || idle[i] > t.Idle {
			return fmt.Errorf("%w: %s: %d nJ in rows, %d attributed; %d of %d nJ idle",
				energy.ErrUnbalanced, a.zones[i].Name, sums[i], t.Attributed, idle[i],
				t.Idle)
		}
	}
	if cpu != a.cpu.Groups {
		return fmt.Errorf("%w: %v of CPU time in rows, %v of groups", energy.ErrUnbalanced, cpu,
			a.cpu.Groups)
	}
	return nil
}
