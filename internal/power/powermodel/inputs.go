package powermodel

import (
	"fmt"
	"regexp"
	"slices"
	"sync"
)

// Tier is a set of inputs that a machine offers, or does not.
type Tier string

// The tiers.
const (
	Kernel   Tier = "os"       // what every Linux kernel counts
	Clocked  Tier = "clock"    // the kernel's, and the delivered clock
	Counters Tier = "counters" // the clock's, and all others but events, such as hardware counters
	Runtime  Tier = "jvm"      // the kernel's, and the events of Java machines
	All      Tier = "all"      // every input
)

// tiers are all tiers.
var tiers = []Tier{Kernel, Clocked, Counters, Runtime, All}

// ParseTier reads a tier's name.
func ParseTier(s string) (Tier, error) {
	if slices.Contains(tiers, Tier(s)) {
		return Tier(s), nil
	}
	return "", fmt.Errorf("unknown inputs %q: give one of %q", s, tiers)
}

// pattern returns whether a column matches a regular expression. It is compiled when it is first
// asked for, and not at each start of ebb.
func pattern(text string) func(column string) bool {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
	return func(column string) bool { return compiled().MatchString(column) }
}

// Rates that the kernel counts, under the names that Ganglia's modules, collectd and perf give
// them, and under those of package activity.
var kernelRates = pattern(`^(cpu_(user|system|nice|intr|sintr|wio|steal|busy)|` +
	`busy_cpus_[0-9]+|idle_ends_(100us|1ms|10ms|long)|softirqs|wakeups|` +
	`contexts|context[-_]switches|ctxt|interrupts|intr|cpu[-_]migrations|(page|minor|major)[-_]faults|` +
	`(bytes|pkts|packets)_(in|out)|bytes_(read|written)|reads|writes|page_(in|out)|swap_(in|out))$`)

// events are the inputs of a JVM's events (package internal/power/activity/jvm).
var events = pattern(`^jvm_[A-Za-z0-9_]+_(count|depth|depth_artifact|threads)$`)

// states matches the columns that are no rate of work. They state how full the machine is, or
// identify the run, so a model would learn from them which program ran when. cpu_idle is the
// remainder of the other shares.
var states = pattern(`^(timestamp|time|date|cpu_idle|(disk|mem|swap|part)_.*|numSockets|` +
	`(drops|errs)_.*|(read|write)_time)$`)

// has reports whether a column is an input of the tier.
func (t Tier) has(column string) bool {
	switch {
	case kernelRates(column):
		return true
	case states(column):
		return false
	}
	switch {
	case events(column):
		return t == Runtime || t == All
	case column == clock:
		return t == Clocked || t == Counters || t == All
	}
	return t == Counters || t == All
}

// clock is the input of the delivered clock, as package activity names it.
const clock = "clock_ghz"

// busyTimes are all columns that are busy time of some kind: those that sum up to the share, and
// other views of the same time.
var busyTimes = pattern(`^(cpu_(user|system|nice|intr|sintr|busy)|busy_cpus_[0-9]+)$`)

// busyShares are the columns that sum up to the share of time in which a CPU worked.
var busyShares = pattern(`^cpu_(user|system|nice|intr|sintr)$`)
