package vm

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// The roles of ebb's processes in their command lines; the governor's own is "".
const (
	guardianRole = "__guardian"
	deputyRole   = "__deputy"
)

// victims are the pairs that are killed, in their order.
var victims = [][2]string{{guardianRole, ""}, {"", guardianRole}, {deputyRole, ""},
	{"", deputyRole}, {guardianRole, deputyRole}, {deputyRole, guardianRole}}

// TestPairsKilled: two of ebb's three processes are killed in any order, up to 500 ms apart: the
// third, or ebb itself, puts a real cpufreq back. No ebb restore is called. Each pair is a test of
// its own, since a machine in which no test begins or ends for long is taken to hang.
func TestPairsKilled(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv("kills"))
	if err != nil {
		rounds = kills
	}
	rnd := devtest.Rand(t)
	for i := range rounds {
		pair := victims[i%len(victims)]
		gap := time.Duration(rnd.Int64N(int64(500 * time.Millisecond)))
		what := fmt.Sprintf("%q killed, %q %v later", pair[0], pair[1], gap)
		if !t.Run(what, func(t *testing.T) { killPair(t, pair, gap) }) {
			return // the controls are not as the next pair expects them
		}
	}
	t.Logf("%d pairs were killed", rounds)
}

func killPair(t *testing.T, pair [2]string, gap time.Duration) {
	before := controls(t)
	c := govern(t, 100*time.Millisecond)
	var fds []int
	for _, role := range pair {
		pid := c.Process.Pid
		if role != "" {
			pid = inRole(t, role)
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		fds = append(fds, fd)
	}
	for k, fd := range fds {
		if k > 0 {
			time.Sleep(gap)
		}
		// One that has put everything back has ended by itself.
		if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil &&
			!(k > 0 && errors.Is(err, unix.ESRCH)) {
			t.Fatal(err)
		}
	}
	if pair[0] != "" && pair[1] != "" { // ebb lives on without both, and ends as it is asked to
		_ = c.Process.Signal(syscall.SIGTERM)
	}
	endLoads(t)
	_ = c.Wait()
	if !eventually(func() bool { _, err := os.Stat("/run/ebb"); return err != nil }) {
		t.Fatal("the run directory is still there")
	}
	same(t, controls(t), before)
}

// eventually waits until something holds.
func eventually(holds func() bool) bool {
	for start := time.Now(); time.Since(start) < patience/2; time.Sleep(2 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return false
}

// inRole is the process of ebb's in a role.
func inRole(t *testing.T, role string) int {
	t.Helper()
	for _, pid := range processes(t, "ebb") {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if _, rest, _ := strings.Cut(string(b), "\x00"); err == nil &&
			strings.HasPrefix(rest, role+"\x00") {
			return pid
		}
	}
	t.Fatalf("no process of ebb's is a %s", role)
	return 0
}
