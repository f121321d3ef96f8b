package activity

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// Stat holds what /proc/stat has for the whole machine since its start (proc_stat(5)).
type Stat struct {
	CPUs         int
	proc.CPULine // sum of all CPUs

	Switches, Interrupts, SoftIRQs uint64
}

// errMalformed says that a file of the kernel's lacks the form that its documentation gives.
var errMalformed = errors.New("malformed")

// ParseStat reads the text of /proc/stat.
func ParseStat(text string) (s Stat, err error) {
	found := 0
	proc.EachCPU(text, func(l proc.CPULine, bad error) {
		if l.CPU != proc.AllCPUs {
			s.CPUs++
			return
		}
		s.CPULine = l
		if found++; bad != nil {
			err = fmt.Errorf("%w: %w", bad, errMalformed)
		}
	})
	if err != nil {
		return Stat{}, err
	}
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch {
		case name == "intr":
			s.Interrupts, err = first(rest)
		case name == "ctxt":
			s.Switches, err = first(rest)
		case name == "softirq":
			s.SoftIRQs, err = first(rest)
		default:
			continue
		}
		if err != nil {
			return Stat{}, fmt.Errorf("line %s of stat: %w", name, err)
		}
		found++
	}
	if found < 4 || s.CPUs == 0 {
		return Stat{}, fmt.Errorf("stat lacks lines: %w", errMalformed)
	}
	return s, nil
}

// first reads the first number of a line. Those behind it are its parts.
func first(rest string) (uint64, error) {
	number, _, _ := strings.Cut(rest, " ")
	v, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return 0, errMalformed
	}
	return v, nil
}
