package doctor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
)

// examineMachine lists the meters of the whole machine's power, and reads each once.
func examineMachine(fs *sysfs.FS) Finding {
	f := Finding{What: "whole machine", State: Missing}
	list, _, err := inventory.List(fs)
	var has []string
	if err != nil {
		has = append(has, err.Error())
	}
	for i := range list {
		s := &list[i]
		detail := s.Name() + ": cannot be read"
		if w, err := reading(fs, s); err == nil {
			detail = fmt.Sprintf("%s: %.1f W", s.Name(), w)
			f.State = Good
		}
		if s.Interval > 0 {
			detail += fmt.Sprintf(", the mean of %v", s.Interval)
		}
		has = append(has, detail)
	}
	switch c, err := inventory.Batteries(fs); {
	case err == nil:
		f.State = Good
		detail := fmt.Sprintf("%s holds %.0f J, in steps of up to %.0f J",
			strings.Join(c.Names, ", "), c.Energy, c.Step)
		if c.Power > 0 {
			detail += fmt.Sprintf(", and gives %.1f W", c.Power)
		}
		has = append(has, detail)
	case !errors.Is(err, inventory.ErrNoBattery):
		has = append(has, err.Error())
	}
	if f.Detail = strings.Join(has, "; "); len(has) == 0 {
		f.Detail = "no sensor shows it, and no battery feeds it"
	}
	switch {
	case f.State == Missing:
		f.Advice = "with a plug or a power supply that another program logs: " +
			"ebb run --meter-csv FILE"
	case len(list) > 0:
		f.Advice = "ebb run --hwmon NAME reads one; it may measure a part of the machine only"
	}
	return f
}

// reading returns the power that a sensor shows, in W.
func reading(fs *sysfs.FS, s *inventory.Sensor) (float64, error) {
	m, err := inventory.Open(fs, s.Power)
	if err != nil {
		return 0, err
	}
	w, err := m.Read()
	return w, errors.Join(err, m.Close())
}

// machineFacts adds the meters of the whole machine that a run would read though none is named.
func machineFacts(fs *sysfs.FS, f *wattmeter.Facts) {
	switch s, err := inventory.Find(fs, inventory.ACPI); {
	case err == nil && len(f.Zones) == 0:
		f.Machine = s.Name()
	case err == nil:
		f.NoMachine = "ebb run --hwmon " + inventory.ACPI + " reads one"
	case errors.Is(err, inventory.ErrSeveral):
		f.NoMachine = err.Error()
	}
	if c, err := inventory.Batteries(fs); err == nil {
		f.Battery = strings.Join(c.Names, ", ") + ", by what it holds at begin and end"
	} else {
		f.NoBattery = err.Error()
	}
}
