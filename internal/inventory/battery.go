package inventory

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

const (
	supplyClass = "class/power_supply"
	microjoules = 3600.0 // uJ in a uWh, and in a uAh at 1 V
	volts       = 1e-6   // V in a uV
)

var (
	// ErrNoBattery says that there is no battery that could feed the machine.
	ErrNoBattery = errors.New("there is no battery")
	// ErrNotDischarging says that no battery feeds the machine. Only then does one say what the
	// machine draws.
	ErrNotDischarging = errors.New("the battery is not discharging")
)

// Charge holds what the machine's batteries have together
// (Documentation/ABI/testing/sysfs-class-power).
type Charge struct {
	Energy float64 // J
	// Step is the smallest change in J that the batteries can show, as far as their values say.
	Step  float64
	Power float64  // W that they give; 0 where they do not say
	Names []string // names of the batteries
}

// Batteries reads the batteries that feed the machine. Where none does the error is ErrNoBattery or
// ErrNotDischarging.
func Batteries(fs *sysfs.FS) (c Charge, err error) {
	names, err := fs.Names(supplyClass)
	if err != nil && !errors.Is(err, sysfs.ErrAbsent) {
		return c, err
	}
	there := false
	for _, name := range names {
		dir := supplyClass + "/" + name
		if kind, err := fs.Read(dir + "/type"); err != nil || kind != "Battery" {
			continue
		}
		if scope, err := fs.Read(dir + "/scope"); err == nil && scope == "Device" {
			continue // a mouse's
		}
		if in, err := fs.ReadInt(dir + "/present"); err == nil && in == 0 {
			continue
		}
		there = true
		status, err := fs.Read(dir + "/status")
		if err != nil {
			return c, err
		}
		switch status {
		case "Discharging":
		case "Full", "Not charging": // of two batteries one waits for its turn
			continue
		default:
			return c, fmt.Errorf("%w: %s is %s", ErrNotDischarging, name, strings.ToLower(status))
		}
		if err := c.add(fs, dir); err != nil {
			return c, err
		}
		c.Names = append(c.Names, name)
	}
	switch {
	case len(c.Names) > 0:
		return c, nil
	case !there:
		return c, ErrNoBattery
	}
	return c, ErrNotDischarging
}

// add adds a battery's charge, by its energy or by its charge and voltage.
func (c *Charge) add(fs *sysfs.FS, dir string) error {
	voltage, err := fs.ReadInt(dir + "/voltage_now")
	known := err == nil && voltage > 0
	unit := microjoules / 1e6 // J in a unit of what is held
	held, err := fs.ReadInt(dir + "/energy_now")
	kind := "energy"
	if err != nil {
		if held, err = fs.ReadInt(dir + "/charge_now"); err != nil || !known {
			return errors.Join(fmt.Errorf("%s: neither energy nor charge and voltage", dir), err)
		}
		kind, unit = "charge", unit*float64(voltage)*volts
	}
	if held < 0 || held > 1e12 {
		return fmt.Errorf("%s/%s_now: %w: %d", dir, kind, sysfs.ErrMalformed, held)
	}
	step := held
	for _, other := range []string{"_full", "_full_design"} {
		if v, err := fs.ReadInt(dir + "/" + kind + other); err == nil {
			step = divisor(step, v)
		}
	}
	c.Energy += float64(held) * unit
	c.Step = math.Max(c.Step, float64(step)*unit)
	if v, err := fs.ReadInt(dir + "/power_now"); err == nil {
		c.Power += math.Abs(float64(v)) / microwatts
	} else if v, err := fs.ReadInt(dir + "/current_now"); err == nil && known {
		c.Power += math.Abs(float64(v)) / microwatts * float64(voltage) * volts
	}
	return nil
}

// divisor returns the greatest common divisor of two amounts; with 0, the other amount.
func divisor(a, b int64) int64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}
