package meters

import (
	"context"
	"errors"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/attribution"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/shelter"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/rapl"
	"github.com/ebb-energy/ebb/units"
)

// meterPeriod is the longest time between two readings of the meters while the target runs.
const meterPeriod = time.Second

// Meters reads the machine's energy meters over a run. It is a governor.Observer, so that it counts
// the run's time by the events' time.
type Meters struct {
	open   *rapl.Meters // an empty set where there is none
	period time.Duration
	begin  units.Instant
	last   units.Instant // time of the event that the newest reading is for
	read   []rapl.Reading
	now    func() units.Instant // clock of the readings
	// ending is the energy of each zone when the target was asked to end; none when it was not.
	ending  []units.Energy
	overdue func() // requests a reading when meterPeriod has passed without one
	stop    func() // ends these requests
}

// Open opens the machine's meters. Having none is no error: energy is then only modelled. A
// reason that the user can remove becomes a warning.
func Open(r *part.Run) (*Meters, error) {
	files, err := meterFiles(r)
	if err != nil {
		return nil, err
	}
	open, err := rapl.Open(files)
	m := &Meters{open: open, period: meterPeriod, overdue: r.Wake, stop: func() {},
		now: monotonic.Now}
	if err != nil {
		m.open = &rapl.Meters{}
		if !errors.Is(err, rapl.ErrNone) {
			r.Report.Warnings = append(r.Report.Warnings, "energy is not measured: "+err.Error())
		}
		return m, nil
	}
	m.bound(r)
	if unread := open.Unread(); unread != "" {
		r.Report.Warnings = append(r.Report.Warnings, unread)
	}
	if p := open.Period(); p > 0 {
		m.period = min(m.period, p)
	}
	r.Use(part.Totals, m)
	if m.Counted() && open.Whole() == nil && r.Actuator.Name() != cpufreq.Shadow {
		// Without frequency control, or with meters of only a part, there is nothing to learn.
		r.Computer.Meter(m.sums)
	}
	return m, nil
}

// readAt reads the meters for an event, and once for all events of one time: then the run's energy
// is the energy that is divided. An event arrives some time after it happened. The energy is that
// at the reading, and power is judged with the reading's time.
func (m *Meters) readAt(at units.Instant) []rapl.Reading {
	if at == m.last && len(m.read) > 0 {
		return m.read
	}
	m.last = at
	m.read = m.open.Read(m.now(), m.read[:0])
	return m.read
}

// start takes the first reading right before the target starts: its first event can arrive up to a
// quantum later.
func (m *Meters) Start(argv []string) ([]string, error) {
	m.read = m.open.Read(m.now(), m.read[:0])
	return argv, nil
}

// started reads again where a launcher ran meanwhile, whose energy is not the program's.
func (m *Meters) Started() error {
	if shelter.LauncherNeeded() {
		m.read = m.open.Read(m.now(), m.read[:0])
	}
	m.stop = m.open.KeepUp(m.overdue)
	return nil
}

func (m *Meters) Observer() governor.Observer { return m }

// Observe implements governor.Observer.
func (m *Meters) Observe(ev *governor.Event, _ []governor.Action) {
	at := ev.At
	if ev.Kind == governor.Sched {
		at = ev.Sched.At
	}
	switch {
	case ev.Kind == governor.Begin && m.begin == 0: // with several tenants, the first one's
		m.begin = at
	case ev.Kind == governor.Ending:
		for _, r := range m.readAt(at) {
			m.ending = append(m.ending, r.Energy)
		}
		return
	case ev.Kind != governor.End && at.Sub(m.last) < m.period:
		return
	}
	m.readAt(at)
}

// finish adds the totals to the report.
func (m *Meters) Finish(_ context.Context, r *report.Report) error {
	for i, v := range m.read {
		if v.Doubt != "" {
			part.Warn(r, v.Doubt)
			if r.Power != nil { // runs with several tenants have no ladder
				r.Power.Doubt = v.Doubt
			}
		}
		e := report.Energy{
			Zone: v.Zone.Name(), Kind: string(v.Zone.Kind), Meter: string(v.Zone.Source),
			EnergyNJ:   int64(v.Energy),
			ProfiledNS: int64(m.last.Sub(m.begin)), Frozen: v.Frozen, Resets: v.Resets,
			UnknownNS: int64(v.Unknown), Doubt: v.Doubt,
		}
		if v.Err != nil {
			e.Problem = v.Err.Error()
		}
		if m.ending != nil {
			e.EndingNJ = int64(v.Energy - m.ending[i])
		}
		r.Meter(e)
	}
	return nil
}

func (m *Meters) Close() error {
	m.stop()
	return m.open.Close()
}

// sums reads the energy of all packages, their cores and all memory, for the governor.
func (m *Meters) sums(at units.Instant) (pkg, cores, dram units.Energy, ok bool) {
	return rapl.Sums(m.readAt(at))
}

// Counted reports whether there is a package's meter; without one there is nothing to divide.
func (m *Meters) Counted() bool {
	zones, _ := m.open.Counted()
	return len(zones) > 0
}

// Newest returns the newest reading of each zone, and the time of the event that it is for. It
// reads no meter.
func (m *Meters) Newest() ([]rapl.Reading, units.Instant) { return m.read, m.last }

// facts returns what is known of the machine's power without opening anything.
func facts(r *part.Run) wattmeter.Facts {
	f := inventory.Power()
	f.Shared, f.TDP = r.Settings.Roots.Meter != "", r.Settings.Methods.TDP
	return f
}

// bound sets the greatest power that the zones can show, by what is known of the machine.
func (m *Meters) bound(r *part.Run) {
	f := facts(r)
	m.open.Bound(func(z *rapl.Zone) (units.Power, string) {
		return wattmeter.Plausible(&f, string(z.Kind), z.Limit)
	})
}

// attributedMeter is the meters for the attribution: each zone's energy from cut to cut.
type attributedMeter struct {
	*Meters
	zones []energy.Zone
	begun bool
	used  []units.Energy // energy at the cut before; none at the start
}

// Attributed returns a meter for the attribution with the zones of the machine's packages and
// memories.
func (m *Meters) Attributed(machine *sysfs.Layout) attribution.Meter {
	m.period = min(m.period, attribution.Period)
	a := &attributedMeter{Meters: m}
	for _, z := range m.open.Zones() {
		out := energy.Zone{Name: z.Name(), Source: energy.Measured,
			CPUs: Numbered(machine.InPackage(z.Package))}
		if z.Kind == rapl.Platform || len(out.CPUs) == 0 {
			out.CPUs = Numbered(machine.CPUs())
		}
		a.zones = append(a.zones, out)
	}
	a.used = make([]units.Energy, len(a.zones))
	return a
}

func (a *attributedMeter) Zones() []energy.Zone { return a.zones }

func (a *attributedMeter) Model() string { return "" }

func (a *attributedMeter) Fill(*energy.Window) {}

func (a *attributedMeter) Cut(at units.Instant) []units.Energy {
	a.readAt(at)
	out := make([]units.Energy, len(a.zones))
	if !a.begun {
		a.begun = true // energy since the start belongs to the first window
		return out
	}
	for i, r := range a.read {
		out[i] = r.Energy - a.used[i]
		a.used[i] = r.Energy
	}
	return out
}

// Numbered returns CPUs by the ledger's numbers.
func Numbered(cpus []sysfs.CPU) (out []energy.CPU) {
	for _, c := range cpus {
		out = append(out, energy.CPU(c))
	}
	return out
}
