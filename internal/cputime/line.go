// Package cputime reads the kernel's account of CPU time, /proc/stat (proc_stat(5)). It is pure.
package cputime

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// ErrMalformed: a line does not have the form that the kernel's documentation gives.
var ErrMalformed = errors.New("malformed line of a CPU in /proc/stat")

// All is the number of the line that has the sum of all CPUs.
const All = -1

// tick is the unit of the times: USER_HZ is 100 on every architecture that Linux runs on but alpha.
const tick = 10 * time.Millisecond

// mostTicks is more than any machine has run for; sums of it still fit into a Duration.
const mostTicks = uint64(math.MaxInt64) / uint64(tick) / 8

// Line is the time of one CPU by kind, or of all, since the machine's start. The kernel's clock
// ticks decide, so that only sums over many ticks mean something.
type Line struct {
	CPU                                                 int
	User, Nice, System, Idle, Wait, IRQ, SoftIRQ, Steal time.Duration
}

// Busy is the time with any program. Time that a hypervisor stole is another machine's, and that of
// nice programs is not in User.
func (l *Line) Busy() time.Duration { return l.User + l.Nice + l.System + l.IRQ + l.SoftIRQ }

// Each calls take with the lines of CPUs that run, the sum of all among them, in their order. A
// line with ErrMalformed has no times; its number is valid unless it is below All.
func Each(text string, take func(Line, error)) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "cpu") {
			continue // of those behind the CPUs' some are very long
		}
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		number, err := strconv.ParseUint(name[len("cpu"):], 10, 31)
		switch {
		case name == "cpu":
			take(parse(All, rest))
		case err != nil:
			take(Line{CPU: All - 1}, ErrMalformed)
		default:
			take(parse(int(number), rest))
		}
	}
}

// parse reads the columns behind a name. The last, stolen time, can be missing.
func parse(cpu int, columns string) (Line, error) {
	l := Line{CPU: cpu}
	kinds := []*time.Duration{&l.User, &l.Nice, &l.System, &l.Idle, &l.Wait, &l.IRQ, &l.SoftIRQ,
		&l.Steal}
	fields := strings.Fields(columns)
	if len(fields) < len(kinds)-1 {
		return Line{CPU: cpu}, ErrMalformed
	}
	for i, field := range fields[:min(len(fields), len(kinds))] {
		v, err := strconv.ParseUint(field, 10, 64)
		if err != nil || v > mostTicks {
			return Line{CPU: cpu}, ErrMalformed
		}
		*kinds[i] = time.Duration(v) * tick
	}
	return l, nil
}
