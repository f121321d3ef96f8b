package inventory

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// ACPI is the name of the sensor by which ACPI shows the power of the whole machine.
const ACPI = "power_meter"

const (
	hwmonClass = "class/hwmon"
	microwatts = 1e6
	mostPowers = 32 // powers of a chip
)

var (
	// ErrSeveral says that more than one sensor fits, and none was chosen.
	ErrSeveral = errors.New("more than one sensor")
	// ErrNone says that no sensor of that name shows power.
	ErrNone = errors.New("no such sensor")
)

// Sensor is a sensor of the hwmon class that shows power (Documentation/hwmon/sysfs-interface.rst).
type Sensor struct {
	Chip  string // the driver's name for its chip, as "power_meter"
	Label string // what it measures; "" where the driver does not say
	// Power is the sensor's name among all: the directory and number, as in hwmon3/power2.
	Power string
	// Interval is the time over which the sensor takes the mean; 0 where it does not say.
	Interval time.Duration

	path string // path of the attribute
}

// Name returns the sensor's name for people: the chip, its place and its label.
func (s *Sensor) Name() string {
	name := s.Chip + " (" + s.Power
	if s.Label != "" {
		name += ", " + s.Label
	}
	return name + ")"
}

// kinds are the attributes of a power, the better first.
var kinds = []string{"_average", "_input"}

// List returns the sensors that show power, and the names of all chips.
func List(fs *sysfs.FS) (list []Sensor, chips []string, err error) {
	dirs, err := fs.Names(hwmonClass)
	if errors.Is(err, sysfs.ErrAbsent) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, d := range dirs {
		// Some drivers, as that of ACPI's meter on older kernels, have their attributes one level
		// below.
		for _, below := range []string{"", "/device"} {
			dir := hwmonClass + "/" + d + below
			chip, err := fs.Read(dir + "/name")
			if err != nil {
				continue
			}
			chips = append(chips, chip)
			for n := 1; n <= mostPowers; n++ {
				s := Sensor{Chip: chip, Power: fmt.Sprintf("%s/power%d", d, n)}
				if s.read(fs, fmt.Sprintf("%s/power%d", dir, n)) {
					list = append(list, s)
				}
			}
			break
		}
	}
	return list, chips, nil
}

// read fills in what a power's attributes say. It returns false where they show no power.
func (s *Sensor) read(fs *sysfs.FS, at string) bool {
	i := slices.IndexFunc(kinds, func(kind string) bool {
		_, err := fs.ReadInt(at + kind)
		return err == nil
	})
	if i < 0 {
		return false
	}
	s.path = at + kinds[i]
	s.Label, _ = fs.Read(at + "_label") // "" where it has none
	ms, err := fs.ReadInt(at + "_average_interval")
	if err == nil && ms > 0 && ms < 1e6 && i == 0 {
		s.Interval = time.Duration(ms) * time.Millisecond
	}
	return true
}

// Find returns the sensor of a name: a chip's, or the directory that has it, as in hwmon3, with the
// power's number behind it where there are several, as in hwmon3/power2.
func Find(fs *sysfs.FS, name string) (*Sensor, error) {
	list, chips, err := List(fs)
	if err != nil {
		return nil, err
	}
	var found []Sensor
	for _, s := range list {
		dir, _, _ := strings.Cut(s.Power, "/")
		if s.Chip == name || dir == name || s.Power == name {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 1:
		return &found[0], nil
	case len(found) > 1:
		var names []string
		for _, s := range found {
			names = append(names, s.Power)
		}
		return nil, fmt.Errorf("%w: %s fits %s: name one of these", ErrSeveral, name,
			strings.Join(names, ", "))
	case slices.Contains(chips, name):
		return nil, fmt.Errorf("%w: the sensor %s shows no power", ErrNone, name)
	}
	return nil, fmt.Errorf("%w: there is no sensor %s, only: %s", ErrNone, name,
		strings.Join(chips, ", "))
}

// Meter is an open sensor.
type Meter struct {
	Sensor
	fs    *sysfs.FS
	asked string           // the name by which it was found
	value *sysfs.Attribute // uW
}

// Open opens the sensor of a name.
func Open(fs *sysfs.FS, name string) (*Meter, error) {
	s, err := Find(fs, name)
	if err != nil {
		return nil, err
	}
	value, err := fs.KeepReading(s.path)
	if err != nil {
		return nil, err
	}
	return &Meter{*s, fs, name, value}, nil
}

// again opens the sensor anew where its driver was unloaded and loaded, and so perhaps got another
// number. It reports whether it did.
func (m *Meter) again() bool {
	s, err := Find(m.fs, m.asked)
	if err != nil || s.Chip != m.Chip || s.Label != m.Label {
		return false
	}
	value, err := m.fs.KeepReading(s.path)
	if err != nil {
		return false
	}
	m.value.Close() // it was only read
	m.value = value
	return true
}

// Read returns the power in W.
func (m *Meter) Read() (float64, error) {
	v, err := m.value.ReadInt()
	if errors.Is(err, sysfs.ErrAbsent) && m.again() {
		v, err = m.value.ReadInt()
	}
	if err == nil && v <= 0 {
		err = fmt.Errorf("%s shows %d uW", m.Name(), v)
	}
	return float64(v) / microwatts, err
}

// Close closes the sensor.
func (m *Meter) Close() error { return m.value.Close() }
