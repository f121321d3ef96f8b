package proc

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// ErrMalformedCPU says that a line does not have the form that the kernel's documentation gives.
var ErrMalformedCPU = errors.New("malformed line of a CPU in /proc/stat")

// AllCPUs is the CPU number of the line that has the sum of all CPUs.
const AllCPUs = -1

// tick is the unit of the times: USER_HZ is 100 on every architecture that Linux runs on but alpha.
const tick = 10 * time.Millisecond

// mostTicks is more ticks than any machine has run for; sums of it still fit into a Duration.
const mostTicks = uint64(math.MaxInt64) / uint64(tick) / 8

// CPULine is the time of one CPU by kind, or of all, since the machine's start. The kernel's clock
// ticks decide which kind a time is of, so that only sums over many ticks mean something.
type CPULine struct {
	CPU                                                 int
	User, Nice, System, Idle, Wait, IRQ, SoftIRQ, Steal time.Duration
}

// Busy returns the time with any program. Time that a hypervisor stole is another machine's, and
// that of nice programs is not in User.
func (l *CPULine) Busy() time.Duration { return l.User + l.Nice + l.System + l.IRQ + l.SoftIRQ }

// EachCPU calls take with the lines of CPUs that run, the sum of all among them, in their order. A
// line with ErrMalformedCPU has no times; its number is valid unless it is below AllCPUs.
func EachCPU(text string, take func(CPULine, error)) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "cpu") {
			continue // some lines behind the CPUs' are very long
		}
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		number, err := strconv.ParseUint(name[len("cpu"):], 10, 31)
		switch {
		case name == "cpu":
			take(parseCPU(AllCPUs, rest))
		case err != nil:
			take(CPULine{CPU: AllCPUs - 1}, ErrMalformedCPU)
		default:
			take(parseCPU(int(number), rest))
		}
	}
}

// parseCPU reads the columns behind a name. The last, stolen time, can be missing.
func parseCPU(cpu int, columns string) (CPULine, error) {
	l := CPULine{CPU: cpu}
	kinds := []*time.Duration{&l.User, &l.Nice, &l.System, &l.Idle, &l.Wait, &l.IRQ, &l.SoftIRQ,
		&l.Steal}
	fields := strings.Fields(columns)
	if len(fields) < len(kinds)-1 {
		return CPULine{CPU: cpu}, ErrMalformedCPU
	}
	for i, field := range fields[:min(len(fields), len(kinds))] {
		v, err := strconv.ParseUint(field, 10, 64)
		if err != nil || v > mostTicks {
			return CPULine{CPU: cpu}, ErrMalformedCPU
		}
		*kinds[i] = time.Duration(v) * tick
	}
	return l, nil
}
