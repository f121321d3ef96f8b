// Package doctor checks what this machine offers and what ebb run would do with it. Each finding
// has its reason and, where there is more to gain, advice.
package doctor

import (
	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// Doctor examines a machine. It changes nothing but what Measure allows.
type Doctor struct {
	Sysfs, Proc string // roots of the machine's attributes and processes
	RunDir      string // directory of the snapshot of the machine's settings
	// Measure sets frequencies for a tenth of a second to measure the settle time, and restores
	// them.
	Measure bool
}

// The states of a finding. A run does without what has a warning, at a price. Without what is
// missing it does less, or refuses.
const (
	Good    = "good"
	Warning = "warning"
	Missing = "missing"
)

// Finding is one line of the doctor's page.
type Finding struct {
	What   string `json:"what"`
	State  string `json:"state"` // Good, Warning or Missing
	Detail string `json:"detail"`
	// Advice says how to get more; empty when there is nothing to gain.
	Advice string `json:"advice,omitempty"`
}

// Examine checks everything, in the order of the page.
func (d *Doctor) Examine() []Finding {
	tracing := examineTracing()
	out := append([]Finding{examineKernel(), examineBTF(d.Sysfs),
		examineLockdown(d.Sysfs)}, tracing...)
	out = append(out, examineCapabilities(runAhead), examineTerminal(proc.TIOCSTISysctl))
	fs, err := sysfs.Open(d.Sysfs)
	if err != nil {
		return append(out, Finding{"sysfs", Warning, err.Error(), ""})
	}
	defer fs.Close()
	found := d.rivals(fs)
	out = append(out, examineCPUs(fs), examineFrequency(fs), examineStates(fs), examineActuator(fs),
		d.examineSettle(fs, found), examineCounters(fs),
		examineMeter(fs), examineMachine(fs), examinePower(fs), examineMemory(fs), examineCgroups(),
		examineRivals(found),
		d.examineLeftover(), d.verdict(fs, tracing[0], found))
	return out
}
