package cpufreq

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// userspace is the governor that leaves the choice to programs.
const userspace = "userspace"

// heldValues is the number of values that a control may hold at once because of us: the one last
// seen in it, the one last written, and the one about to be written. Seen and written differ under
// a cap, or before the kernel has applied it.
const heldValues = 3

// entry is one control in a snapshot.
type entry struct {
	Domain  sysfs.Domain       `json:"domain"`
	Control string             `json:"control"`
	Found   string             `json:"found"` // value before we wrote anything
	Held    [heldValues]string `json:"held"`  // values that it may have by us; empty: never written
}

// controlNames is every control that a snapshot may name. Restoring can write nothing else.
var controlNames = []string{governorFile, minFile, maxFile, speedFile}

func (e *entry) path() string { return e.Domain.Dir() + "/" + e.Control }

func (e *entry) touched() bool { return e.Held != [heldValues]string{} }

// ours reports whether the value can be our doing.
func (e *entry) ours(value string) bool {
	return value == e.Found || slices.Contains(e.Held[:], value)
}

// validate refuses values that this package does not write itself, because root writes them to the
// kernel.
func (e *entry) validate() error {
	if e.Domain < 0 || !slices.Contains(controlNames, e.Control) {
		return fmt.Errorf("policy%d has no control %.40q", e.Domain, e.Control)
	}
	for _, v := range append([]string{e.Found}, e.Held[:]...) {
		if v != "" && !validValue(e.Control, v) {
			return fmt.Errorf("policy%d: %.40q is no value of %s", e.Domain, v, e.Control)
		}
	}
	if e.Found == "" {
		return fmt.Errorf("policy%d: no value of %s", e.Domain, e.Control)
	}
	return nil
}

// maxValue is the longest value: a governor's name has at most 15 characters (CPUFREQ_NAME_LEN).
const maxValue = 16

func validValue(control, v string) bool {
	allowed := "0123456789"
	if control == governorFile {
		allowed += "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"
	}
	return v != "" && len(v) <= maxValue && strings.Trim(v, allowed) == ""
}
