package activity

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Stat is what /proc/stat has for the whole machine since its start (proc_stat(5)).
type Stat struct {
	CPUs int
	// Times of all CPUs by kind. The kernel's clock ticks decide, so that only sums over many
	// ticks mean something.
	User, Nice, System, Wait, IRQ, SoftIRQ, Steal time.Duration
	Switches, Interrupts, SoftIRQs                uint64
}

// ErrMalformed: a file of the kernel's has not the form that its documentation gives.
var ErrMalformed = errors.New("malformed")

// tick is the unit of /proc/stat: USER_HZ is 100 on every architecture that Linux runs on but
// alpha.
const tick = 10 * time.Millisecond

// mostTicks is more than any machine has run for; sums of it still fit into a Duration.
const mostTicks = uint64(math.MaxInt64) / uint64(tick) / 8

// Busy is the time of all CPUs with any program. Time that a hypervisor stole is another machine's,
// and that of nice programs is not in User.
func (s *Stat) Busy() time.Duration { return s.User + s.Nice + s.System + s.IRQ + s.SoftIRQ }

// ParseStat reads the text of /proc/stat.
func ParseStat(text string) (s Stat, err error) {
	found := 0
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch {
		case name == "cpu":
			err = s.times(strings.Fields(rest))
		case strings.HasPrefix(name, "cpu"):
			s.CPUs++
			continue
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
		return Stat{}, fmt.Errorf("stat lacks lines: %w", ErrMalformed)
	}
	return s, nil
}

// times reads the fields of the line of all CPUs.
func (s *Stat) times(fields []string) error {
	idle := time.Duration(0)
	kinds := []*time.Duration{&s.User, &s.Nice, &s.System, &idle, &s.Wait, &s.IRQ, &s.SoftIRQ,
		&s.Steal}
	if len(fields) < len(kinds) {
		return ErrMalformed
	}
	for i, kind := range kinds {
		v, err := strconv.ParseUint(fields[i], 10, 64)
		if err != nil || v > mostTicks {
			return ErrMalformed
		}
		*kind = time.Duration(v) * tick
	}
	return nil
}

// first reads the first number of a line. Those behind it are its parts.
func first(rest string) (uint64, error) {
	number, _, _ := strings.Cut(rest, " ")
	v, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return 0, ErrMalformed
	}
	return v, nil
}
