package machine

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/rapl"
	"github.com/ebb-energy/ebb/units"
)

// meters holds the machine's energy meters, or a power model in their place, from window to window.
type meters struct {
	open  *rapl.Meters // an empty set where there is none
	model *trained     // nil: none is used
	zones []energy.Zone
	rungs []wattmeter.Rung
	taken string
	doubt []string // why a zone is not believed; "" where it is
	last  []last   // of each zone
	// counted marks zones whose energies add up to the machine's.
	counted []bool
	from    units.Instant // time before the last reading
	read    []rapl.Reading
}

// last is what is known of a zone from the windows before.
type last struct {
	used   units.Energy
	resets int
	sleeps int
	failed bool
	// still says that the meter did not move in the window.
	still bool
}

// packages maps the CPUs of a machine to its packages.
type packages struct {
	of    []int // place of each CPU's package, by CPU
	count int
	index map[sysfs.Package]int
}

func packagesOf(m *sysfs.Layout) packages {
	p := packages{index: map[sysfs.Package]int{}}
	for _, at := range m.Places {
		i, ok := p.index[at.Package]
		if !ok {
			i = len(p.index)
			p.index[at.Package] = i
		}
		for len(p.of) <= int(at.CPU) {
			p.of = append(p.of, 0)
		}
		p.of[at.CPU] = i
	}
	p.count = max(len(p.index), 1)
	return p
}

// cpus returns the places of a package as a zone's CPUs; all places for a package that is unknown.
func (p *packages) cpus(k sysfs.Package) []energy.CPU {
	if i, ok := p.index[k]; ok {
		return []energy.CPU{energy.CPU(i)}
	}
	var all []energy.CPU
	for i := range p.count {
		all = append(all, energy.CPU(i))
	}
	return all
}

// drop removes the idle time of CPUs that are offline. Such a CPU runs its idle thread for ever,
// and would make the others look less busy than they are.
func drop(idle []time.Duration, online []sysfs.CPU) {
	for cpu := range idle {
		if _, there := slices.BinarySearch(online, sysfs.CPU(cpu)); !there {
			idle[cpu] = 0
		}
	}
}

// openMeters opens the machine's meters. Where there are none it opens the power model that the
// user named. Without either there are no zones, and the ladder bounds what the machine may draw.
func openMeters(s *Settings, p *packages) (*meters, error) {
	root := s.Meter
	if root == "" {
		root = s.Sysfs
	}
	fs, err := sysfs.Open(root)
	if err != nil {
		return nil, fmt.Errorf("open the energy meters: %w", err)
	}
	defer fs.Close() // the meters have files of their own
	f := inventory.Power()
	f.Shared, f.NoModel = s.Meter != "", "--power-model names one"
	f.NoMachine = "none is used for a whole machine's groups"
	f.NoBattery = f.NoMachine
	m := &meters{}
	if m.open, err = rapl.Open(fs); err != nil {
		m.open = &rapl.Meters{}
		f.NoMeter = err.Error()
	} else {
		f.Zones, f.NoMeter = m.open.Counted()
	}
	model, err := describeModel(s, &f)
	if err != nil {
		return m, err
	}
	m.rungs = wattmeter.Rungs(&f)
	m.taken = wattmeter.Taken(m.rungs)
	if m.taken == wattmeter.Trained {
		if m.model, err = openTrained(model, f.CPUs); err != nil {
			return m, err
		}
		m.zones = []energy.Zone{m.model.zone(p.cpus(sysfs.Unknown))}
		m.doubt, m.counted = make([]string, 1), []bool{true}
		return m, nil
	}
	if len(f.Zones) == 0 {
		return m, nil
	}
	var names []string
	for _, z := range m.open.Zones() {
		m.last = append(m.last, last{})
		names = append(names, z.Name())
		out := energy.Zone{Name: z.Name(), Source: energy.Measured, CPUs: p.cpus(z.Package)}
		if z.Kind == rapl.Platform {
			out.CPUs = p.cpus(sysfs.Unknown)
		}
		m.zones = append(m.zones, out)
	}
	m.open.Bound(func(z *rapl.Zone) (units.Power, string) {
		return wattmeter.Plausible(&f, string(z.Kind), z.Limit)
	})
	m.doubt, m.counted = make([]string, len(m.zones)), profile.Counted(names)
	return m, nil
}

// measured reports whether meters count the energy.
func (m *meters) measured() bool { return len(m.zones) > 0 && m.model == nil }

// begin starts the first window.
func (m *meters) begin() error {
	m.look()
	if m.model == nil {
		return nil
	}
	return m.model.begin(m.from)
}

// look reads the meters. It also does so within a window, so that no counter wraps unseen.
func (m *meters) look() {
	m.from = monotonic.Now()
	m.read = m.open.Read(m.from, m.read[:0])
}

// amounts holds the energy of each zone in a window, with the ends of its interval where a model
// gives them. Blind marks zones whose energy cannot be divided: energy of more than this window, or
// of only a part of it, or a model's for a machine that does what it was not trained on.
type amounts struct {
	used, low, high []units.Energy
	blind           []bool
}

// cut returns the energies used since the cut before.
func (m *meters) cut() (a amounts) {
	switch {
	case m.model != nil:
		m.from = monotonic.Now()
		a = m.predict(m.from)
	case len(m.zones) > 0:
		m.look()
		a.used, a.blind = m.window(m.read)
		m.open.Cut()
	}
	return a
}

// predict returns what the model says of the window that ends at a time.
func (m *meters) predict(at units.Instant) amounts {
	used, low, high, blind := m.model.cut(at)
	m.doubt[0] = m.model.doubt()
	return amounts{[]units.Energy{used}, []units.Energy{low}, []units.Energy{high}, []bool{blind}}
}

// blind reports whether some of the machine's energy in a window is not known.
func (m *meters) blind(a *amounts) bool {
	for i, blind := range a.blind {
		if blind && m.counted[i] {
			return true
		}
	}
	return false
}

func (m *meters) close() error {
	if m.model == nil {
		return m.open.Close()
	}
	return errors.Join(m.model.source.Close(), m.open.Close())
}

// window returns the energies of a window from readings, as cut does.
func (m *meters) window(read []rapl.Reading) ([]units.Energy, []bool) {
	used, blind := make([]units.Energy, len(m.zones)), make([]bool, len(m.zones))
	for i := range read {
		r, was := &read[i], &m.last[i]
		used[i] = max(r.Energy-was.used, 0)
		broken := r.Err != nil || was.failed || r.Resets != was.resets || r.Sleeps != was.sleeps
		// A meter that moves again has the energy of several windows. One that has never moved
		// may be of a part that does nothing.
		late := was.still && used[i] > 0
		m.doubt[i] = r.Doubt
		blind[i] = broken || late || r.Doubt != "" || r.Frozen && r.Energy > 0
		was.used, was.resets, was.sleeps, was.failed = r.Energy, r.Resets, r.Sleeps, r.Err != nil
		was.still = used[i] == 0 && !broken
	}
	return used, blind
}
