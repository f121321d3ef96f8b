package cpuenergy

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"time"
)

// errMalformed: the kernel's account is not as proc_stat(5) says.
var errMalformed = errors.New("malformed /proc/stat")

// busy is the time of all CPUs together in which they ran something.
func busy() (time.Duration, error) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	return parseBusy(b)
}

// The columns of the first line: user, nice, system, idle, iowait, irq, softirq, steal. User
// includes guest. Steal is other machines' time.
const idle, iowait, steal = 3, 4, 7

func parseBusy(text []byte) (sum time.Duration, err error) {
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	fields := bytes.Fields(line)
	if len(fields) <= steal || string(fields[0]) != "cpu" {
		return 0, errMalformed
	}
	const tick = 10 * time.Millisecond // USER_HZ
	for i, f := range fields[1 : steal+1] {
		if i == idle || i == iowait || i == steal {
			continue
		}
		n, err := strconv.ParseInt(string(f), 10, 64)
		if err != nil || n < 0 || n > 1<<40 {
			return 0, errMalformed
		}
		sum += time.Duration(n) * tick
	}
	return sum, nil
}
