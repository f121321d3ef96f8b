package train

import (
	"errors"
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// hwmonMeter is a sensor of the hwmon class that shows power: its mean over each interval, by
// readings a tenth of a second apart.
type hwmonMeter struct {
	sensor string
	open   *inventory.Meter
	sum    float64 // W
	count  int
}

const hwmonPeriod = 100 * time.Millisecond

// openHwmon opens the power of a sensor by its name.
func openHwmon(fs *sysfs.FS, name string) (meter, error) {
	open, err := inventory.Open(fs, name)
	if errors.Is(err, inventory.ErrNone) {
		return nil, fmt.Errorf("%w: %w", errNoMeter, err)
	}
	if err != nil {
		return nil, err
	}
	return &hwmonMeter{sensor: name, open: open}, nil
}

func (m *hwmonMeter) name() string { return "hwmon: " + m.sensor }

func (m *hwmonMeter) period() time.Duration { return hwmonPeriod }

func (m *hwmonMeter) look(units.Instant) {
	if w, err := m.open.Read(); err == nil {
		m.sum, m.count = m.sum+w, m.count+1
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

func (m *hwmonMeter) close() error { return m.open.Close() }
