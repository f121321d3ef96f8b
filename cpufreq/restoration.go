package cpufreq

import (
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// Restoration is the result of restoring a machine.
type Restoration struct {
	// PID is the process whose changes were undone; 0 when there was no snapshot and so nothing to
	// do.
	PID      int
	Controls []ControlRestoration
	// Complete: nothing is left to do, and the snapshot has been removed.
	Complete bool
	// Rebooted: the snapshot was of another boot. The kernel has forgotten those values; nothing
	// was written.
	Rebooted bool
}

// ControlRestoration is the result for one control.
type ControlRestoration struct {
	Domain  sysfs.Domain
	Control string // scaling_governor, ...
	Result  Result
	Found   string // value found before the first write
	Now     string // value after restoring; "" when it cannot be read
	Err     error  // Failed
}

// Result is what restoring did to a control.
type Result uint8

const (
	// Untouched: it was never written, and is as it was found.
	Untouched Result = iota
	// Restored: it was put back and reads back.
	Restored
	// Kept: another program changed it. It was left alone.
	Kept
	// Gone: the domain does not exist any more.
	Gone
	// Failed: it could not be put back; the snapshot keeps it for the next try.
	Failed
)

var resultNames = [...]string{"untouched", "restored", "kept", "gone", "failed"}

func (r Result) String() string { return resultNames[r] }

// String describes the control in one line.
func (c ControlRestoration) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "policy%d %s: %v", c.Domain, c.Control, c.Result)
	switch c.Result {
	case Untouched, Restored:
		fmt.Fprintf(&b, ", %s", c.Now)
	case Kept:
		fmt.Fprintf(&b, " at %s, which another program set; it was %s", c.Now, c.Found)
	case Gone:
		fmt.Fprintf(&b, "; it was %s", c.Found)
	case Failed:
		fmt.Fprintf(&b, ": %v; it was %s", c.Err, c.Found)
	}
	return b.String()
}

// Count returns the number of controls with the result.
func (r *Restoration) Count(result Result) int {
	n := 0
	for i := range r.Controls {
		if r.Controls[i].Result == result {
			n++
		}
	}
	return n
}
