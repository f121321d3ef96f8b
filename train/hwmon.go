package train

import (
	"errors"
	"fmt"
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

// openHwmon opens the first power of the sensor with that name.
func openHwmon(fs *sysfs.FS, name string) (meter, error) {
	dirs, err := fs.Names(hwmonClass)
	if err != nil && !errors.Is(err, sysfs.ErrAbsent) {
		return nil, err
	}
	var there []string
	for _, d := range dirs {
		d = hwmonClass + "/" + d
		found, err := fs.Read(d + "/name")
		if err != nil {
			continue
		}
		there = append(there, found)
		if found != name {
			continue
		}
		for _, file := range []string{"/power1_average", "/power1_input"} {
			if a, err := fs.KeepReading(d + file); err == nil {
				return &hwmonMeter{sensor: name, value: a}, nil
			}
		}
		return nil, fmt.Errorf("%w: the sensor %s shows no power", ErrNoMeter, name)
	}
	return nil, fmt.Errorf("%w: there is no sensor %s, only: %s", ErrNoMeter, name,
		strings.Join(there, ", "))
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
