package machine

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/rapl"
	"github.com/ebb-energy/ebb/units"
)

// meters holds the machine's energy meters, or a power model in their place, from window to window.
type meters struct {
	open   *rapl.Meters // an empty set where there is none
	model  *trained     // nil: none is used
	zones  []energy.Zone
	rungs  []wattmeter.Rung
	taken  string
	most   []units.Power // greatest power that each zone can show
	doubt  []string      // why a zone is not believed any more; "" where it is
	used   []units.Energy
	resets []int
	failed []bool
	stood  []bool        // whether a zone stood still in the window before
	slept  time.Duration // time for which the machine has been suspended
	read   []rapl.Reading
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
	m := &meters{slept: slept()}
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
		m.doubt = make([]string, 1)
		return m, nil
	}
	if len(f.Zones) == 0 {
		return m, nil
	}
	for _, z := range m.open.Zones() {
		most, _ := wattmeter.Plausible(&f, string(z.Kind), z.Limit)
		m.most = append(m.most, most)
		out := energy.Zone{Name: z.Name(), Source: energy.Measured, CPUs: p.cpus(z.Package)}
		if z.Kind == rapl.Platform {
			out.CPUs = p.cpus(sysfs.Unknown)
		}
		m.zones = append(m.zones, out)
	}
	m.open.Bound(func(z *rapl.Zone) units.Power {
		most, _ := wattmeter.Plausible(&f, string(z.Kind), z.Limit)
		return most
	})
	n := len(m.zones)
	m.doubt, m.used = make([]string, n), make([]units.Energy, n)
	m.resets, m.failed, m.stood = make([]int, n), make([]bool, n), make([]bool, n)
	return m, nil
}

// measured reports whether meters count the energy.
func (m *meters) measured() bool { return len(m.zones) > 0 && m.model == nil }

// begin starts the first window.
func (m *meters) begin(at units.Instant) error {
	m.look(at)
	if m.model == nil {
		return nil
	}
	return m.model.begin(at)
}

// look reads the meters within a window, so that no counter wraps unseen.
func (m *meters) look(at units.Instant) { m.read = m.open.Read(at, m.read[:0]) }

// amounts holds the energy of each zone in a window, with the ends of its interval where a model
// gives them. Blind marks zones whose energy cannot be divided: energy of more than this window, or
// of only a part of it, or a model's for a machine that does what it was not trained on.
type amounts struct {
	used, low, high []units.Energy
	blind           []bool
}

// cut returns the energies used since the cut before.
func (m *meters) cut(now units.Instant) (a amounts) {
	switch {
	case m.model != nil:
		used, low, high, blind := m.model.cut(now)
		a = amounts{[]units.Energy{used}, []units.Energy{low}, []units.Energy{high}, []bool{blind}}
		m.doubt[0] = m.model.doubt()
	case len(m.zones) > 0:
		m.look(now)
		a.used, a.blind = m.window(m.read, slept())
	}
	return a
}

func (m *meters) close() error {
	if m.model == nil {
		return m.open.Close()
	}
	return errors.Join(m.model.source.Close(), m.open.Close())
}

// window returns the energies of a window from readings and the time of suspension, as cut does.
func (m *meters) window(read []rapl.Reading, slept time.Duration) ([]units.Energy, []bool) {
	used, blind := make([]units.Energy, len(m.zones)), make([]bool, len(m.zones))
	// The two clocks are not read at one moment.
	suspended := slept-m.slept > 10*time.Millisecond
	m.slept = max(slept, m.slept)
	for i := range read {
		r := &read[i]
		if doubt := r.Doubt(m.most[i], "it can draw"); doubt != "" || m.stood[i] {
			m.doubt[i] = doubt
		}
		m.stood[i] = r.Frozen
		blind[i] = suspended || r.Err != nil || m.failed[i] || r.Resets != m.resets[i] ||
			m.doubt[i] != ""
		used[i] = max(r.Energy-m.used[i], 0)
		m.used[i], m.resets[i], m.failed[i] = r.Energy, r.Resets, r.Err != nil
	}
	return used, blind
}

// slept returns the time for which the machine has been suspended since its start.
func slept() time.Duration {
	var all, awake unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &all)    // every kernel has both clocks
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &awake) // so they cannot fail
	return time.Duration(all.Nano() - awake.Nano())
}
