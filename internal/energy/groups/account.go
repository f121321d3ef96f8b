package groups

import (
	"fmt"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/units"
)

const (
	// Most is the number of groups with rows of their own. Later groups go to Beyond.
	Most = 10_000
	// Kept is the time for which a group that has ended stays by itself.
	Kept = 10 * time.Minute
	// Ended is the name for all groups of a kind that ended earlier. No path has it (NameOf).
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
	// Several says that the name is that of several virtual machines: libvirt leaves out some
	// characters of theirs.
	Several bool
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
	// Uncounted says that some CPU worked and counted nothing. CPU time then divides.
	Uncounted bool
	// Metered is the time in which Used was used; 0: the window's.
	Metered time.Duration
	// Apart bounds the time between the reading of the meters and that of CPU time, at either end.
	Apart time.Duration
}

// lasted returns the time in which the window's energy was used.
func (w *Window) lasted() time.Duration {
	if w.Metered > 0 {
		return w.Metered
	}
	return w.To.Sub(w.From)
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
	learns []lesson // by zone
	share  Share
	rows   map[Name]*Row
	most   int
	cpu    Times
	ending map[string][]ending // by kind, rows that have ended, the oldest first
	whole  bool                // in the last window each job had a row

	uses    []use          // scratch of one Book
	done    []features     // scratch, by uses, with the others at the end
	weights []float64      // scratch, the same
	parts   []units.Energy // scratch, the same
	divided []units.Energy // idle energy of each zone that was divided over groups
}

// ending is a row that ended at a time. It may be back since, or be gone.
type ending struct {
	row *Row
	at  units.Instant
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
		prices: make([]price, n), learns: make([]lesson, n), share: share,
		rows: map[Name]*Row{}, most: Most,
		ending: map[string][]ending{}, divided: make([]units.Energy, n)}
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
	a.whole = true
	a.enter(w)
	for i := range a.zones {
		used := max(w.Used[i], 0)
		a.totals[i].Measured += used
		if w.blind(i) {
			a.totals[i].Unattributed += used
			a.learns[i] = lesson{}
			continue
		}
		a.learns[i].add(&a.zones[i], w, used)
		if l := &a.learns[i]; l.teaches() {
			a.floors[i].see(l)
		}
		a.divide(i, w, used)
		a.bound(i, w)
	}
	return nil
}

// divide divides a zone's energy of a window among those who used it. The zone's power with nothing
// to do is idle, and the rest is divided by weight. If nothing ran, all the energy is idle.
func (a *Account) divide(zone int, w *Window, used units.Energy) {
	z, t := &a.zones[zone], &a.totals[zone]
	idle := min(max(a.floors[zone].idle.For(w.lasted()), 0), used)
	a.weigh(zone, w)
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

// row returns a group's row. Where there are too many, a group that has ended makes room; if none
// has, the row is Beyond's.
func (a *Account) row(n Name) *Row {
	if r := a.rows[n]; r != nil && r.ended != 0 && n.Kind == Job {
		a.retire(r) // a job that Slurm starts anew gets sums of its own
	} else if r != nil {
		r.ended = 0
		return r
	}
	if len(a.rows) >= a.most && n != Beyond && n.Name != Ended && !a.room() {
		a.whole = a.whole && n.Kind != Job
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

// Whole reports whether each job of the last window had a row of its own.
func (a *Account) Whole() bool { return a.whole }

// End notes that a group is gone. It keeps its row for Kept, then joins its kind's Ended.
func (a *Account) End(n Name, at units.Instant) {
	r := a.rows[n]
	if r == nil || r.ended != 0 || n == Beyond || n.Name == Ended {
		return
	}
	r.ended = max(at, 1)
	list := append(a.ending[n.Kind], ending{r, r.ended})
	if len(list) > 2*a.most {
		list = slices.DeleteFunc(list, func(e ending) bool { return !a.holds(e) })
	}
	a.ending[n.Kind] = list
}

// holds reports whether a row that ended then has neither come back nor been retired.
func (a *Account) holds(e ending) bool { return a.rows[e.row.Name] == e.row && e.row.ended == e.at }

// fold joins groups that ended at least Kept ago to their kinds' Ended.
func (a *Account) fold(now units.Instant) {
	for kind, list := range a.ending {
		for len(list) > 0 && (!a.holds(list[0]) || now.Sub(list[0].at) >= Kept) {
			if a.holds(list[0]) {
				a.retire(list[0].row)
			}
			list = list[1:]
		}
		a.ending[kind] = list
	}
}

// room retires the oldest row of the kind of which most rows have ended. A user who begins and ends
// many sessions thus takes no rows from jobs.
func (a *Account) room() bool {
	for {
		most := ""
		for kind, list := range a.ending {
			if n := len(list) - len(a.ending[most]); n > 0 || n == 0 && kind < most {
				most = kind
			}
		}
		if len(a.ending[most]) == 0 {
			return false
		}
		e := a.ending[most][0]
		a.ending[most] = a.ending[most][1:]
		if a.holds(e) {
			a.retire(e.row)
			return true
		}
	}
}

// retire adds a group that has ended to its kind's Ended.
func (a *Account) retire(r *Row) {
	delete(a.rows, r.Name)
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
