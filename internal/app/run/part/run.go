package part

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/stacks"
)

// Run has what is open while a target is governed, as far as the instruments look at it.
type Run struct {
	Settings *Settings
	Sysfs    *sysfs.FS
	Program  Program        // the target
	Identity *live.Identity // user that a command runs as; nil for ebb's own user
	Counted  Counted
	Types    *bpf.Types // kernel's types for all programs that are loaded; nil after that
	Tracer   *bpf.Tracer
	Actuator cpufreq.Actuator
	Governor *governor.Governor // nil with several tenants, as is Host
	Host     *live.Host
	Computer *live.Computer   // the host's, or the one of several tenants
	Machine  governor.Machine // the host, or what records it or adds to its events

	Instruments []Used // in the order of opening
	Opened      Stack
	Report      report.Report
	Notices     []string // sentences that stand in the run's first lines as well
	Marks       string   // says where the program's marks go; empty: none are wanted
	// Resumes has the places within a page of the instructions behind breakpoints; nil: there are
	// none.
	Resumes map[uint64]bool
	// Ready waits for processes that begin beside ebb. After the meters' first reading their energy
	// would count for the command. nil: there are none.
	Ready func()
	// SamplingCost returns the time that the sampling of functions has taken from the program so
	// far, where each interrupt costs so much; nil where nothing samples them.
	SamplingCost func(interrupt time.Duration) time.Duration
}

// OwnID returns the id by which /proc knows a process of the tracer's.
func (r *Run) OwnID(pid int) int { return r.Tracer.OwnID(epochs.TID(pid)) }

// Wake makes the host emit a tick, at which meters are read. A sleeping target causes no events,
// but meters go on.
func (r *Run) Wake() { r.Computer.Wake() }

// Program is the target as parts look at it. Its String names it in messages.
type Program interface {
	fmt.Stringer
	// Sample has the sampler take the target; a command is sampled from its start on.
	Sample(s *stacks.Sampler) error
	// Runtimes opens the JVMs that the target may load or has mapped. The error is the one of the
	// first that could not be opened; the others are returned beside it.
	Runtimes(ctx context.Context, argv []string) ([]live.JVM, error)
	// ProcessesPass reports whether the target may outlive its processes.
	ProcessesPass() bool
}

// Counted are the counters of each slice; none where there is no PMU.
type Counted struct {
	Names []string
	FDs   [][]int // by CPU, in the order of the names
}

// Warn adds a warning to a report, once.
func Warn(r *report.Report, text string) {
	if !slices.Contains(r.Warnings, text) {
		r.Warnings = append(r.Warnings, text)
	}
}
