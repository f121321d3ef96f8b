package activity

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Reading holds all counts at one moment.
type Reading struct {
	At units.Instant
	Stat
	vmStat
	CPUs CPUs
	// Counts and Clock are the machine's own (Hardware); none and 0 where they could not be read.
	Counts []Count
	Clock  units.Frequency
}

// Inputs maps the names of a window's inputs to their values.
type Inputs map[string]float64

// idleNames names the inputs that count idle stretches that ended, per second, by their length.
var idleNames = [lengths]string{"idle_ends_100us", "idle_ends_1ms", "idle_ends_10ms",
	"idle_ends_long"}

// steady names the inputs that every machine has, in the order of tables. Those that begin with
// cpu_ are percent of all CPUs' time, the others numbers per second.
var steady = []string{"cpu_user", "cpu_nice", "cpu_system", "cpu_wio", "cpu_intr", "cpu_sintr",
	"cpu_steal", "cpu_busy", "contexts", "interrupts", "softirqs", "wakeups", "cpu-migrations",
	"page-faults", "major-faults", "page_in", "page_out"}

// levelName returns the name of the input that has the share of time, in percent, with at least n
// CPUs busy.
func levelName(n int) string { return fmt.Sprintf("busy_cpus_%d", n) }

// Names returns the names of the kernel's inputs on so many CPUs, in the order of tables.
func Names(cpus int) []string {
	names := append([]string(nil), steady...)
	for k := 0; k < levels && 1<<k <= cpus; k++ {
		names = append(names, levelName(1<<k))
	}
	return append(names, idleNames[:]...)
}

// Idle returns the inputs of a machine with so many CPUs that does nothing.
func Idle(cpus int) Inputs {
	in := Inputs{}
	for _, name := range Names(cpus) {
		in[name] = 0
	}
	return in
}

// Between returns the inputs of the window between two readings. Counts that went back, as after a
// CPU was taken away, are no work: they are 0.
func Between(from, to *Reading) (Inputs, error) {
	wall := to.At.Sub(from.At)
	if wall <= 0 {
		return nil, fmt.Errorf("a window of %v has no activity", wall)
	}
	cpus := max(to.Stat.CPUs, 1)
	share := func(d time.Duration) float64 {
		return min(100*max(d, 0).Seconds()/(wall.Seconds()*float64(cpus)), 100)
	}
	rate := func(a, b uint64) float64 {
		if b < a {
			return 0
		}
		return float64(b-a) / wall.Seconds()
	}
	a, b := &from.Stat, &to.Stat
	in := Inputs{
		"cpu_user": share(b.User - a.User), "cpu_nice": share(b.Nice - a.Nice),
		"cpu_system": share(b.System - a.System), "cpu_wio": share(b.Wait - a.Wait),
		"cpu_intr": share(b.IRQ - a.IRQ), "cpu_sintr": share(b.SoftIRQ - a.SoftIRQ),
		"cpu_steal": share(b.Steal - a.Steal),
		"cpu_busy":  share(elapsed(from.CPUs.Busy, to.CPUs.Busy)),
		"contexts":  rate(a.Switches, b.Switches), "interrupts": rate(a.Interrupts, b.Interrupts),
		"softirqs":       rate(a.SoftIRQs, b.SoftIRQs),
		"wakeups":        rate(from.CPUs.Wakeups, to.CPUs.Wakeups),
		"cpu-migrations": rate(from.CPUs.Migrations, to.CPUs.Migrations),
		"page-faults":    rate(from.Faults, to.Faults),
		"major-faults":   rate(from.MajorFaults, to.MajorFaults),
		"page_in":        rate(from.In, to.In), "page_out": rate(from.Out, to.Out),
	}
	for k := 0; k < levels && 1<<k <= cpus; k++ {
		d := max(elapsed(from.CPUs.Level[k], to.CPUs.Level[k]), 0)
		in[levelName(1<<k)] = min(100*d.Seconds()/wall.Seconds(), 100)
	}
	for k, name := range idleNames {
		in[name] = rate(from.CPUs.Idle[k], to.CPUs.Idle[k])
	}
	hardware(in, from, to)
	return in, nil
}
