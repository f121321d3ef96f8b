package main

import (
	"errors"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/energy"
	"github.com/ebb-energy/ebb/energy/attribution"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/sysfs"
	"github.com/ebb-energy/ebb/rapl"
	"github.com/ebb-energy/ebb/report"
	"github.com/ebb-energy/ebb/topology"
	"github.com/ebb-energy/ebb/units"
)

// meterPeriod is how often the meters are read while the target runs, at least.
const meterPeriod = time.Second

// meters reads the machine's energy meters over a run. It is a governor.Observer: the events' time
// is the run's time.
type meters struct {
	open   *rapl.Meters
	period time.Duration
	begin  units.Instant
	last   units.Instant
	read   []rapl.Reading
	// what each zone had used when the target was asked to end; none when it was not
	ending []units.Energy
	// goes off when they have not been read for their period; nil where that does not matter
	overdue *time.Timer
}

// openMeters opens what there is. No meter is no error: energy is then only modelled, and the
// reason is a warning where it is one that a user can do something about.
func openMeters(fs *sysfs.FS) (*meters, string) {
	open, err := rapl.Open(fs)
	switch {
	case errors.Is(err, rapl.ErrNone):
		return nil, ""
	case err != nil:
		return nil, "energy is not measured: " + err.Error()
	}
	m := &meters{open: open, period: meterPeriod}
	if p := open.Period(); p > 0 {
		m.period = min(m.period, p)
	}
	return m, ""
}

// keepUp rings when the meters have not been read for as long as they may be, until stop is called:
// a target that sleeps gives no events, and the meters go on.
func (m *meters) keepUp(ring func()) (stop func()) {
	period := m.open.Period()
	if period == 0 {
		return func() {}
	}
	m.overdue = time.AfterFunc(period, ring) // what comes of it is a reading, which sets it anew
	return func() { m.overdue.Stop() }
}

// readAt reads the meters.
func (m *meters) readAt(at units.Instant) []rapl.Reading {
	m.last = at
	m.read = m.open.Read(at, m.read[:0])
	if m.overdue != nil {
		m.overdue.Reset(m.open.Period())
	}
	return m.read
}

// start takes the first reading, right before the target starts: when its first event is seen, up
// to a quantum has gone by.
func (m *meters) start() {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return // the first event's reading is then the first
	}
	m.read = m.open.Read(units.Instant(t.Nano()), m.read[:0])
}

// Observe implements governor.Observer.
func (m *meters) Observe(ev *governor.Event, _ []governor.Action) {
	at := ev.At
	if ev.Kind == governor.Sched {
		at = ev.Sched.At
	}
	switch {
	case ev.Kind == governor.Begin:
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

// report hands the totals to the report.
func (m *meters) report(r *report.Report) {
	for i, v := range m.read {
		e := report.Energy{
			Zone: v.Zone.Name(), Kind: string(v.Zone.Kind), Meter: string(v.Zone.Source), EnergyNJ: int64(v.Energy),
			ProfiledNS: int64(m.last.Sub(m.begin)), Frozen: v.Frozen, Resets: v.Resets, UnknownNS: int64(v.Unknown),
		}
		if v.Err != nil {
			e.Problem = v.Err.Error()
		}
		if m.ending != nil {
			e.EndingNJ = int64(v.Energy - m.ending[i])
		}
		r.Meter(e)
	}
}

// sums reads what all packages, their cores and all memory have used, for the governor. It is not
// known when a package's meter fails or stands still. Cores is 0 unless each package has a meter of
// its cores that runs.
func (m *meters) sums(at units.Instant) (pkg, cores, dram units.Energy, ok bool) {
	packages := 0 // beyond those whose cores are metered
	for _, r := range m.readAt(at) {
		works := r.Err == nil && !r.Frozen
		switch r.Zone.Kind {
		case rapl.Package:
			if !works {
				return 0, 0, 0, false
			}
			pkg, ok = pkg.Plus(r.Energy), true
			packages++
		case rapl.Cores:
			if works {
				cores = cores.Plus(r.Energy)
				packages--
			}
		case rapl.Memory:
			if works {
				dram = dram.Plus(r.Energy)
			}
		}
	}
	if packages != 0 {
		cores = 0
	}
	return pkg, cores, dram, ok
}

// counted says whether there is a meter of a package, without which there is nothing to divide.
func (m *meters) counted() bool {
	return slices.ContainsFunc(m.open.Zones(),
		func(z rapl.Zone) bool { return z.Kind == rapl.Package })
}

// attributedMeter is the meters as the attribution reads them: what each zone has used from cut to
// cut.
type attributedMeter struct {
	*meters
	zones []energy.Zone
	begun bool
	used  []units.Energy // at the cut before; none at the start
}

// attributed makes the zones of the machine's packages and memories a meter for the attribution.
func (m *meters) attributed(machine *topology.Layout) attribution.Meter {
	a := &attributedMeter{meters: m}
	for _, z := range m.open.Zones() {
		out := energy.Zone{Name: z.Name(), Source: energy.Measured,
			CPUs: numbered(machine.InPackage(z.Package))}
		if z.Kind == rapl.Platform || len(out.CPUs) == 0 {
			out.CPUs = numbered(machine.CPUs())
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
		a.begun = true // what was used since the start belongs to the first window
		return out
	}
	for i, r := range a.read {
		out[i] = r.Energy - a.used[i]
		a.used[i] = r.Energy
	}
	return out
}
