package train

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// hwmonMeter is a sensor of the hwmon class that shows power
// (Documentation/hwmon/sysfs-interface.rst): its mean over each interval, by readings a tenth of a
// second apart.
type hwmonMeter struct {
	sensor string
	value  *sysfs.Attribute // uW
	sum    float64          // W
	count  int
}

const (
	hwmonClass  = "class/hwmon"
	hwmonPeriod = 100 * time.Millisecond
	microwatts  = 1e6
)

// ErrSeveral: more than one sensor fits, and none was chosen.
var ErrSeveral = errors.New("more than one sensor")

// openHwmon opens the power of a sensor: by its name, or by the directory that has it, as in
// hwmon3, with the power's number behind it where there are several, as in hwmon3/power2.
func openHwmon(fs *sysfs.FS, name string) (meter, error) {
	powers, there, err := hwmonPowers(fs, name)
	switch {
	case err != nil:
		return nil, err
	case len(powers) > 1:
		return nil, fmt.Errorf("%w: %s fits %s: name one of these", ErrSeveral, name,
			strings.Join(powers, ", "))
	case len(powers) == 0 && slices.Contains(there, name):
		return nil, fmt.Errorf("%w: the sensor %s shows no power", ErrNoMeter, name)
	case len(powers) == 0:
		return nil, fmt.Errorf("%w: there is no sensor %s, only: %s", ErrNoMeter, name,
			strings.Join(there, ", "))
	}
	for _, kind := range powerKinds {
		if a, err := fs.KeepReading(hwmonClass + "/" + powers[0] + kind); err == nil {
			return &hwmonMeter{sensor: name, value: a}, nil
		}
	}
	return nil, fmt.Errorf("%w: the sensor %s shows no power", ErrNoMeter, name)
}

// powerKinds are the attributes of a power, the better first.
var powerKinds = []string{"_average", "_input"}

// hwmonPowers are the powers that a name fits, and the names of all sensors.
func hwmonPowers(fs *sysfs.FS, name string) (powers, there []string, err error) {
	dirs, err := fs.Names(hwmonClass)
	if err != nil && !errors.Is(err, sysfs.ErrAbsent) {
		return nil, nil, err
	}
	for _, d := range dirs {
		found, err := fs.Read(hwmonClass + "/" + d + "/name")
		if err != nil {
			continue
		}
		there = append(there, found)
		for n := 1; n <= mostPowers; n++ {
			power := fmt.Sprintf("%s/power%d", d, n)
			if (found == name || d == name || power == name) && showsPower(fs, power) {
				powers = append(powers, power)
			}
		}
	}
	return powers, there, nil
}

// mostPowers bounds the powers of a sensor.
const mostPowers = 32

func showsPower(fs *sysfs.FS, power string) bool {
	return slices.ContainsFunc(powerKinds, func(kind string) bool {
		_, err := fs.Read(hwmonClass + "/" + power + kind)
		return err == nil
	})
}

func (m *hwmonMeter) name() string { return "hwmon: " + m.sensor }

func (m *hwmonMeter) period() time.Duration { return hwmonPeriod }

func (m *hwmonMeter) look(units.Instant) {
	if v, err := m.value.ReadInt(); err == nil && v > 0 {
		m.sum, m.count = m.sum+float64(v)/microwatts, m.count+1
	}
}

func (m *hwmonMeter) cut(at units.Instant) (float64, error) {
	m.look(at)
	sum, count := m.sum, m.count
	m.sum, m.count = 0, 0
	if count == 0 {
		return 0, errGap
	}
	return sum / float64(count), nil
}

func (m *hwmonMeter) close() error { return m.value.Close() }
