package proc

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Turns has the time that threads ran, and the time that they could have run while others had the
// CPUs.
type Turns struct{ Ran, Waited time.Duration }

// Plus returns the sum.
func (t Turns) Plus(u Turns) Turns { return Turns{t.Ran + u.Ran, t.Waited + u.Waited} }

// errMalformedTurns says that the text is not two numbers and more.
var errMalformedTurns = errors.New("malformed schedstat of a thread")

// ReadTurns reads a thread's turns since its begin from /proc/PID/task/TID/schedstat (the kernel's
// Documentation/scheduler/sched-stats.rst). Those of a process's first thread can be read until
// somebody takes the process's status.
func ReadTurns(pid, tid int) (Turns, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/schedstat", pid, tid))
	if err != nil {
		return Turns{}, err
	}
	return parseTurns(string(b))
}

func parseTurns(text string) (Turns, error) {
	fields := strings.Fields(text)
	if len(fields) < 2 {
		return Turns{}, errMalformedTurns
	}
	ran, err := strconv.ParseInt(fields[0], 10, 64)
	waited, err2 := strconv.ParseInt(fields[1], 10, 64)
	if err != nil || err2 != nil || ran < 0 || waited < 0 {
		return Turns{}, errMalformedTurns
	}
	return Turns{time.Duration(ran), time.Duration(waited)}, nil
}

// EachThread calls take with the threads of a process and of the children that these started, and
// so on, at most a number of them. A kernel without CONFIG_PROC_CHILDREN shows no children.
func EachThread(pid, most int, take func(pid, tid int)) {
	for pids := []int{pid}; len(pids) > 0; pids = pids[1:] {
		threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pids[0]))
		if err != nil {
			continue // it has ended
		}
		for _, thread := range threads {
			tid, err := strconv.Atoi(thread.Name())
			if err != nil {
				continue
			}
			if most--; most < 0 {
				return
			}
			take(pids[0], tid)
			list, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pids[0], tid))
			if err != nil {
				continue
			}
			for _, name := range strings.Fields(string(list)) {
				if child, err := strconv.Atoi(name); err == nil {
					pids = append(pids, child)
				}
			}
		}
	}
}
