package groups

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/units"
)

const (
	// Most is the number of groups with rows of their own. Later groups go to Beyond.
	Most = 10_000
	// Kept is the time for which a group that has ended stays by itself.
	Kept = 10 * time.Minute
	// Ended is the name for all groups of a kind that ended earlier.
	Ended = "ended"
)

// Beyond is the group for everything without a row of its own: groups after Most, groups that found
// the kernel's map full, and groups that were removed before their name was read.
var Beyond = Name{Kind: other, Name: "other"}

// Use is a group's part of a window.
type Use struct {
	Group Name
	Time  []time.Duration // CPU time, by place
	Work  []Work          // work done in that time, by place; none where nothing counts it
	// Reserved is the part of the machine reserved for the group, in any unit; 0: unknown.
	Reserved float64
}

// Window is the time between two readings.
type Window struct {
	From, To units.Instant
	Used     []units.Energy // by zone
	// Low and High are the ends of Used's interval, by zone; none where Used is exact, as by a
	// meter.
	Low, High []units.Energy
	Blind     []bool // by zone: the energy cannot be divided; none: empty
	Groups    []Use  // the groups that exist
	// Others is the CPU time of kernel threads and of programs in no group, Idle the time in which
	// CPUs did nothing, by place.
	Others, Idle []time.Duration
	OthersWork   []Work // work in Others, as Use.Work
}

// Row holds the sums of a group.
type Row struct {
	Name
	CPU    time.Duration
	Energy []units.Energy // by zone
	// Low and High are the ends of Energy's interval, by zone.
	Low, High []units.Energy
	// Idle is its part of the idle energy, where a Share divides that. Energy does not contain it.
	Idle  []units.Energy
	ended units.Instant // time of its end; 0: it exists
}

// Account holds the sums of all groups. Only one goroutine may use it.
type Account struct {
	zones  []energy.Zone
	totals []energy.Totals // by zone
	floors []floor
	prices []price
	share  Share
	rows   map[Name]*Row
	most   int
	cpu    Times
	ending int // rows that have ended and are still by themselves

	uses    []use          // scratch of one Book
	done    []features     // scratch, by uses, with the others at the end
	weights []float64      // scratch, the same
	parts   []units.Energy // scratch, the same
	divided []units.Energy // idle energy of each zone that was divided over groups
}

// Times are the sums of CPU time.
type Times struct{ Groups, Others, Idle time.Duration }

// use is a Use with its row.
type use struct {
	*Use
	row *Row
}

// New makes an account. A zone's CPUs are places: the indices of Use.Time. A zone whose Idle is not
// known learns it from windows. Without zones the account keeps CPU times alone.
func New(zones []energy.Zone, share Share) *Account {
	n := len(zones)
	a := &Account{zones: zones, totals: make([]energy.Totals, n), floors: make([]floor, n),
		prices: make([]price, n), share: share, rows: map[Name]*Row{}, most: Most,
		divided: make([]units.Energy, n)}
	for i := range zones {
		a.floors[i].idle = zones[i].Idle
	}
	return a
}

// Book divides a window's energy. Negative amounts, as of a meter that runs backwards, count as 0.
func (a *Account) Book(w *Window) error {
	if len(w.Used) != len(a.zones) {
		return fmt.Errorf("book a window: %w: %d, not %d", energy.ErrZones, len(w.Used),
			len(a.zones))
	}
	a.fold(w.To)
	a.enter(w)
	for i := range a.zones {
		used := max(w.Used[i], 0)
		a.totals[i].Measured += used
		if w.blind(i) {
			a.totals[i].Unattributed += used
			continue
		}
		a.floors[i].see(&a.zones[i], w, used)
		a.divide(i, w, used)
		a.bound(i, w)
	}
	return nil
}

// divide divides a zone's energy of a window among those who used it. The zone's power with nothing
// to do is idle, and the rest is divided by weight. If nothing ran, all the energy is idle.
func (a *Account) divide(zone int, w *Window, used units.Energy) {
	z, t := &a.zones[zone], &a.totals[zone]
	idle := min(max(a.floors[zone].idle.For(w.To.Sub(w.From)), 0), used)
	a.weigh(zone, w, used-idle)
	var some bool
	if a.parts, some = energy.Divide(used-idle, a.weights, a.parts[:0]); !some {
		idle = used
	} else {
		for i := range a.uses {
			a.uses[i].row.Energy[zone] += a.parts[i]
			t.Attributed += a.parts[i]
		}
		t.Others += a.parts[len(a.uses)]
	}
	t.Idle += idle
	z.Idle = a.floors[zone].idle
	a.shareIdle(zone, idle)
}

func (w *Window) blind(zone int) bool { return zone < len(w.Blind) && w.Blind[zone] }

// enter finds the groups' rows, and adds up CPU time.
func (a *Account) enter(w *Window) {
	a.uses = a.uses[:0]
	for i := range w.Groups {
		u := &w.Groups[i]
		row := a.row(u.Group)
		a.uses = append(a.uses, use{u, row})
		for _, d := range u.Time {
			row.CPU += max(d, 0)
			a.cpu.Groups += max(d, 0)
		}
	}
	for _, d := range w.Others {
		a.cpu.Others += max(d, 0)
	}
	for _, d := range w.Idle {
		a.cpu.Idle += max(d, 0)
	}
}

// row returns a group's row; that of Beyond where there are too many.
func (a *Account) row(n Name) *Row {
	if r := a.rows[n]; r != nil && r.ended != 0 && n.Kind == Job {
		a.retire(r) // a job that Slurm starts anew gets sums of its own
	} else if r != nil {
		if r.ended != 0 {
			r.ended = 0
			a.ending--
		}
		return r
	}
	if len(a.rows) >= a.most && n != Beyond && n.Name != Ended {
		return a.row(Beyond)
	}
	zones := len(a.zones)
	r := &Row{Name: n, Energy: make([]units.Energy, zones), Low: make([]units.Energy, zones),
		High: make([]units.Energy, zones)}
	if a.share != NoShare {
		r.Idle = make([]units.Energy, zones)
	}
	a.rows[n] = r
	return r
}

// End notes that a group is gone. It keeps its row for Kept, then joins its kind's Ended.
func (a *Account) End(n Name, at units.Instant) {
	if r := a.rows[n]; r != nil && r.ended == 0 && n != Beyond && n.Name != Ended {
		r.ended = max(at, 1)
		a.ending++
	}
}

// fold joins groups that ended at least Kept ago to their kinds' Ended.
func (a *Account) fold(now units.Instant) {
	if a.ending == 0 {
		return
	}
	for _, r := range a.rows {
		if r.ended != 0 && now.Sub(r.ended) >= Kept {
			a.retire(r)
		}
	}
}

// retire adds a group that has ended to its kind's Ended.
func (a *Account) retire(r *Row) {
	delete(a.rows, r.Name)
	a.ending--
	kept := a.row(Name{Kind: r.Kind, Name: Ended})
	kept.CPU += r.CPU
	for i := range kept.Low {
		kept.Energy[i] += r.Energy[i]
		kept.Low[i] = kept.Low[i].Plus(r.Low[i])
		kept.High[i] = kept.High[i].Plus(r.High[i])
	}
	for i := range r.Idle {
		kept.Idle[i] += r.Idle[i]
	}
}
