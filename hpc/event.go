// Package hpc names the counters that a slice of a thread's execution carries, and where the kernel
// has them.
//
// The names are those that the predictor's estimators ask for. An Event is the event of a PMU for
// which a name stands on the machine at hand; package hpc/perfevent opens them.
package hpc

import (
	"fmt"
	"slices"
	"strings"
)

// PMU names one of the kernel's event sources: one of those below, or the name of a directory of
// /sys/bus/event_source/devices, such as "cpu" or "cpu_core", with * for a number.
type PMU string

const (
	// Hardware are the kernel's generic events of the CPU's own PMU (PERF_TYPE_HARDWARE).
	Hardware PMU = "hardware"
	// Software are events that the kernel itself counts (PERF_TYPE_SOFTWARE).
	Software PMU = "software"
	// MSR are free-running counters in model-specific registers, which virtual machines often have
	// too (/sys/bus/event_source/devices/msr).
	MSR PMU = "msr"
)

// Event is one countable event.
type Event struct {
	Name   string // name of the column in an epoch table
	PMU    PMU
	Of     PMU    // PMU of a Hardware event on a hybrid processor; "" elsewhere
	Config uint64 // perf_event_attr.config
	What   string
}

// events are all events that have names. Configs: include/uapi/linux/perf_event.h (enum perf_hw_id
// and perf_sw_ids), arch/x86/events/msr.c.
var events = []Event{
	{Cycles, Hardware, "", 0, "cycles of the core's clock while it is not halted"},
	{Instructions, Hardware, "", 1, "instructions retired"},
	{StalledBackend, Hardware, "", 8,
		"cycles without progress for want of a resource, on PMUs that have it"},
	{TSC, MSR, "", 0, "the time-stamp counter"},
	{APERF, MSR, "", 1, "cycles of the delivered clock"},
	{MPERF, MSR, "", 2, "cycles of the nominal clock"},
	{CPUClock, Software, "", 0, "the CPU's time, in ns"},
	{PageFaults, Software, "", 2, "page faults"},
	{ContextSwitches, Software, "", 3, "context switches of the CPU"},
	{CPUMigrations, Software, "", 4, "migrations to the CPU"},
}

// Names returns the names of all events.
func Names() []string {
	names := make([]string, len(events))
	for i := range events {
		names[i] = events[i].Name
	}
	return names
}

// ByName finds events by their names. An unknown or repeated name is an error that lists the known
// ones.
func ByName(names []string) ([]Event, error) {
	out := make([]Event, 0, len(names))
	for _, n := range names {
		i := slices.IndexFunc(events, func(e Event) bool { return e.Name == n })
		if i < 0 {
			return nil, fmt.Errorf("no counter %q; there are %s", n, strings.Join(Names(), ", "))
		}
		if slices.Contains(out, events[i]) {
			return nil, fmt.Errorf("counter %q is named twice", n)
		}
		out = append(out, events[i])
	}
	return out, nil
}
