package train

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// tree is a tree of attributes.
type tree struct {
	t    testing.TB
	root string
}

func (t *tree) write(path, text string) {
	t.t.Helper()
	path = filepath.Join(t.root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
		t.t.Fatal(err)
	}
}

func (t *tree) open(s MeterSettings) (meter, error) {
	t.t.Helper()
	fs, err := sysfs.Open(t.root)
	if err != nil {
		t.t.Fatal(err)
	}
	t.t.Cleanup(func() { fs.Close() })
	return openMeter(fs, &s)
}

const zone = "class/powercap/intel-rapl:0/"

func (t *tree) powercap(span int) {
	t.write(zone+"name", "package-0")
	t.write(zone+"max_energy_range_uj", fmt.Sprint(span))
	t.write(zone+"constraint_0_name", "long_term")
	t.write(zone+"energy_uj", "0")
}

// TestPowerMeter: the power is what the meter counted between two calls; where it stands still or
// is gone it is not known.
func TestPowerMeter(t *testing.T) {
	f := &tree{t, t.TempDir()}
	if _, _, err := PowerMeter(&MeterSettings{Root: f.root}); !errors.Is(err, errNoMeter) {
		t.Errorf("without a meter: %v", err)
	}
	if power, done, err := PowerMeter(&MeterSettings{Root: f.root, Wall: "log"}); power != nil ||
		err != nil || done() != nil {
		t.Errorf("a wall meter: %v", err)
	}
	f.powercap(1_000_000_000)
	f.write(zone+"energy_uj", "000000000001")
	power, done, err := PowerMeter(&MeterSettings{Root: f.root})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now() // before the first known reading, whose time is the interval's begin
	f.write(zone+"energy_uj", "000000000001")
	if w := power(); !math.IsNaN(w) {
		t.Errorf("before the first call: %v W", w)
	}
	time.Sleep(50 * time.Millisecond)
	f.write(zone+"energy_uj", "000030000001")
	w, took := power(), time.Since(began).Seconds()
	if !(w >= 30/took && w <= 30/0.05) {
		t.Errorf("30 J in %v s: %v W", took, w)
	}
	if w := power(); !math.IsNaN(w) {
		t.Errorf("nothing was counted: %v W", w)
	}
	if err := done(); err != nil {
		t.Error(err)
	}
}

// TestRAPL: a meter that wraps is read through, one that was reset loses the interval, and one that
// stands still is an error.
func TestRAPL(t *testing.T) {
	f := &tree{t, t.TempDir()}
	f.powercap(1_000_000_000)
	m, err := f.open(MeterSettings{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	at := units.Instant(1)
	if _, err := m.cut(at); !errors.Is(err, errGap) {
		t.Errorf("the first cut: %v", err)
	}
	for i, c := range []struct {
		energy int // uJ
		want   float64
		gap    bool
	}{{20_000_000, 20, false}, {990_000_000, 970, false}, {10_000_000, 20, false},
		{30_000_000, 20, false}} {
		f.write(zone+"energy_uj", fmt.Sprintf("%012d", c.energy))
		at = at.Add(time.Second)
		got, err := m.cut(at)
		if errors.Is(err, errGap) != c.gap || math.Abs(got-c.want) > 1e-3 {
			t.Errorf("cut %d: %v W, %v", i, got, err)
		}
	}
	var frozen error
	for range 3 {
		at = at.Add(time.Second)
		_, frozen = m.cut(at)
	}
	if !errors.Is(frozen, errFrozen) {
		t.Errorf("a meter that stands still: %v", frozen)
	}
}

func TestHwmon(t *testing.T) {
	f := &tree{t, t.TempDir()}
	f.write("class/hwmon/hwmon0/name", "coretemp")
	f.write("class/hwmon/hwmon1/name", "ina226")
	f.write("class/hwmon/hwmon1/power1_input", "12000000")
	m, err := f.open(MeterSettings{Hwmon: "ina226"})
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	m.look(1)
	f.write("class/hwmon/hwmon1/power1_input", "18000000")
	if got, err := m.cut(2); err != nil || got != 15 {
		t.Errorf("got %v W, %v", got, err)
	}
	for want, name := range map[string]string{"there is no sensor ina219": "ina219",
		"shows no power": "coretemp"} {
		if _, err := f.open(MeterSettings{Hwmon: name}); !errors.Is(err, errNoMeter) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := f.open(MeterSettings{}); !errors.Is(err, errNoMeter) {
		t.Errorf("neither RAPL nor ACPI: %v", err)
	}
	f.write("class/hwmon/hwmon2/name", inventory.ACPI)
	f.write("class/hwmon/hwmon2/power1_average", "90000000")
	if m, err := f.open(MeterSettings{}); err != nil || m.name() != "hwmon: power_meter" {
		t.Errorf("ACPI: %v", err)
	}
	f.write("class/hwmon/hwmon3/name", inventory.ACPI)
	f.write("class/hwmon/hwmon3/power1_input", "1000000")
	f.write("class/hwmon/hwmon3/power2_input", "2000000")
	for _, name := range []string{inventory.ACPI, "hwmon3", ""} {
		if _, err := f.open(MeterSettings{Hwmon: name}); !errors.Is(err, inventory.ErrSeveral) ||
			!strings.Contains(err.Error(), "hwmon3/power2") {
			t.Errorf("several powers by %q: %v", name, err)
		}
	}
	second, err := f.open(MeterSettings{Hwmon: "hwmon3/power2"})
	if err != nil {
		t.Fatal(err)
	}
	defer second.close()
	if got, err := second.cut(1); err != nil || got != 2 {
		t.Errorf("the second power: %v W, %v", got, err)
	}
}
