package host

import (
	"context"
	"math"
	"time"

	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/internal/sandbox"
)

// gauge is a meter whose power is read now and then.
type gauge struct {
	name, scope string
	read        func() (float64, error) // nil: a log, read at the end
	close       func() error
	readings    []wattmeter.Reading
}

// mostSensors bounds the sensors that are read.
const mostSensors = 8

// sensors opens all sensors of power and the batteries, and notes what is absent.
func (h *host) sensors(step *qualify.Step) (out []*gauge) {
	list, _, err := inventory.List(h.fs)
	if err != nil || len(list) == 0 {
		miss(step, "sensors of power (hwmon, ACPI)", firstOf(err, inventory.ErrNone))
	}
	for i := range list[:min(len(list), mostSensors)] {
		m, err := inventory.Open(h.fs, list[i].Power)
		if err != nil {
			miss(step, list[i].Name(), err)
			continue
		}
		s := &gauge{name: list[i].Name(), scope: ofPart, read: m.Read, close: m.Close}
		if list[i].Chip == inventory.ACPI || h.Sensor != "" && (list[i].Chip == h.Sensor ||
			list[i].Power == h.Sensor) {
			s.scope = ofMachine
		}
		out = append(out, s)
	}
	switch c, err := inventory.Batteries(h.fs); {
	case err != nil:
		miss(step, "a discharging battery", err)
	case c.Power <= 0:
		miss(step, "a battery's power", lacks(qualify.NotSupported, "it does not show any"))
	default:
		out = append(out, &gauge{name: "battery", scope: ofMachine, read: func() (float64, error) {
			c, err := inventory.Batteries(h.fs)
			return c.Power, err
		}})
	}
	if h.Log != "" {
		out = append(out, &gauge{name: qualify.MeterLog, scope: ofMachine})
	}
	return out
}

// now returns the time in s since 1970, as a log has it.
func now() float64 { return float64(time.Now().UnixNano()) / 1e9 }

// samplePeriod is the time between two readings of a sensor.
const samplePeriod = 50 * time.Millisecond

// sample reads sensors and the busy time until stop is closed.
func sample(all []*gauge, proc *sysfs.FS, stop <-chan struct{}) (load []wattmeter.Load) {
	for {
		at := now()
		for _, s := range all {
			if s.read == nil || len(s.readings) >= wattmeter.MostReadings {
				continue
			}
			if w, err := s.read(); err == nil {
				s.readings = append(s.readings, wattmeter.Reading{At: at, Power: w})
			}
		}
		if b, err := busy(proc); err == nil {
			load = append(load, wattmeter.Load{At: at, Busy: b.Seconds()})
		}
		if wait(stop, samplePeriod) {
			return load
		}
	}
}

// lags are the lags that are tried, in s. A log's clock may be another one.
var lags = wattmeter.Lags{Least: -30, Most: 30, Step: 0.25}

// gaugedBy sums up the readings of a meter.
func gaugedBy(s *gauge, found []reading, load []wattmeter.Load) qualify.Meter {
	lag := wattmeter.FindLag(s.readings, load, lags)
	watts := make([]float64, len(found))
	for i, r := range found {
		watts[i] = wattmeter.Mean(s.readings, r.begin+lag.Late, r.end+lag.Late, wattmeter.MostGap)
	}
	m := meterOf(found, func(i int) (float64, bool) { return watts[i], !math.IsNaN(watts[i]) })
	m.Name, m.Scope, m.LagS = s.name, s.scope, lag.Late
	every, least := wattmeter.Steps(s.readings)
	m.PeriodNS, m.StepJ = int64(every*1e9), least*every
	return m
}

// logged returns the log's readings, read by a process without rights.
func (h *host) logged(ctx context.Context, from, to float64) ([]wattmeter.Reading, error) {
	return sandbox.Log(ctx, h.Log, from+lags.Least, to+lags.Most, to)
}
