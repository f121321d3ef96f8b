package inventory

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// open makes a tree of files, by path.
func open(t *testing.T, files map[string]string) *sysfs.FS {
	t.Helper()
	root := t.TempDir()
	for path, text := range files {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fs, err := sysfs.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = fs.Close() })
	return fs
}

// TestSensors: names are a chip's, a directory's or a power's, and ACPI's meter is found where
// older kernels have its attributes.
func TestSensors(t *testing.T) {
	fs := open(t, map[string]string{
		"class/hwmon/hwmon0/name": "coretemp", "class/hwmon/hwmon0/temp1_input": "40000",
		"class/hwmon/hwmon1/device/name":                    ACPI,
		"class/hwmon/hwmon1/device/power1_average":          "231000000",
		"class/hwmon/hwmon1/device/power1_average_interval": "2000",
		"class/hwmon/hwmon2/name":                           "ina3221",
		"class/hwmon/hwmon2/power1_input":                   "5000000",
		"class/hwmon/hwmon2/power1_label":                   "VDD_CPU",
		"class/hwmon/hwmon2/power2_input":                   "0",
	})
	list, chips, err := List(fs)
	if err != nil || len(list) != 3 || len(chips) != 3 {
		t.Fatalf("%+v, %v, %v", list, chips, err)
	}
	for name, want := range map[string]struct {
		shows    float64
		name     string
		interval time.Duration
	}{
		ACPI:            {231, "power_meter (hwmon1/power1)", 2 * time.Second},
		"hwmon1":        {231, "power_meter (hwmon1/power1)", 2 * time.Second},
		"hwmon2/power1": {5, "ina3221 (hwmon2/power1, VDD_CPU)", 0},
	} {
		m, err := Open(fs, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		w, err := m.Read()
		if w != want.shows || err != nil || m.Name() != want.name || m.Interval != want.interval {
			t.Errorf("%s: %v W by %+v, %v", name, w, m, err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	for name, want := range map[string]error{"coretemp": ErrNone, "nothing": ErrNone,
		"ina3221": ErrSeveral, "": ErrNone, "../../etc": ErrNone} {
		if _, err := Open(fs, name); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
	}
	m, err := Open(fs, "hwmon2/power2")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Read(); err == nil {
		t.Error("a sensor that shows nothing is believed")
	}
	fs = open(t, map[string]string{"class/x": ""})
	if list, _, err := List(fs); len(list) > 0 || err != nil {
		t.Errorf("no sensors: %v, %v", list, err)
	}
}

const bat0, bat1 = "class/power_supply/BAT0/", "class/power_supply/BAT1/"

// TestBatteries: by energy or by charge and voltage; none that is charged, a mouse's, or lacks its
// values.
func TestBatteries(t *testing.T) {
	energy := map[string]string{bat0 + "type": "Battery", bat0 + "status": "Discharging",
		bat0 + "energy_now": "40010000", bat0 + "energy_full": "50000000",
		bat0 + "energy_full_design": "57020000", bat0 + "power_now": "8500000",
		"class/power_supply/AC/type": "Mains", "class/power_supply/AC/online": "0"}
	with := func(more map[string]string) map[string]string {
		all := map[string]string{}
		for _, m := range []map[string]string{energy, more} {
			for k, v := range m {
				all[k] = v
			}
		}
		return all
	}
	charge := map[string]string{bat1 + "type": "Battery", bat1 + "status": "Discharging",
		bat1 + "charge_now": "2000000", bat1 + "charge_full": "2501000",
		bat1 + "voltage_now": "11500000", bat1 + "current_now": "-1000000"}
	for name, c := range map[string]struct {
		files map[string]string
		want  Charge
		err   error
	}{
		"energy": {energy, Charge{Energy: 40.01 * 3600, Step: 36, Power: 8.5}, nil},
		"charge": {charge, Charge{Energy: 2 * 11.5 * 3600, Step: 0.001 * 11.5 * 3600, Power: 11.5},
			nil},
		"both": {with(charge), Charge{Energy: 40.01*3600 + 2*11.5*3600, Step: 0.001 * 11.5 * 3600,
			Power: 20}, nil},
		"one waits": {with(map[string]string{bat1 + "type": "Battery",
			bat1 + "status": "Not charging"}), Charge{Energy: 40.01 * 3600, Step: 36, Power: 8.5},
			nil},
		"a mouse's": {with(map[string]string{bat1 + "type": "Battery", bat1 + "scope": "Device",
			bat1 + "status": "Charging"}), Charge{Energy: 40.01 * 3600, Step: 36, Power: 8.5}, nil},
		"charging": {with(map[string]string{bat0 + "status": "Charging"}), Charge{},
			ErrNotDischarging},
		"full":   {with(map[string]string{bat0 + "status": "Full"}), Charge{}, ErrNotDischarging},
		"absent": {with(map[string]string{bat0 + "present": "0"}), Charge{}, ErrNoBattery},
		"mad": {with(map[string]string{bat0 + "energy_now": "-5"}), Charge{},
			sysfs.ErrMalformed},
		"none": {map[string]string{"class/x": ""}, Charge{}, ErrNoBattery},
	} {
		got, err := Batteries(open(t, c.files))
		off := math.Abs(got.Energy-c.want.Energy) + math.Abs(got.Step-c.want.Step) +
			math.Abs(got.Power-c.want.Power)
		if !errors.Is(err, c.err) || c.err == nil && off > 1e-6 {
			t.Errorf("%s: %+v, %v, want %+v, %v", name, got, err, c.want, c.err)
		}
	}
}
