package proc

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestParseTurns(t *testing.T) {
	if got, err := parseTurns("1500 2500 3\n"); err != nil || got != (Turns{1500, 2500}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"", "1", "a b c", "-1 2 3", "1 -2 3",
		"99999999999999999999 1 1"} {
		if got, err := parseTurns(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
	if _, err := ReadTurns(os.Getpid(), 1<<30); err == nil {
		t.Error("a thread that there is not")
	}
}

// TestTurnsOfAZombie: a process that has ended still shows what its first thread ran and waited,
// and both make up the time of one that never slept.
func TestTurnsOfAZombie(t *testing.T) {
	if own, err := ReadTurns(os.Getpid(), os.Getpid()); err != nil || own.Ran == 0 {
		t.Skipf("this kernel does not show turns: %v", err)
	}
	cmd := exec.Command("sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done")
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	wall := time.Since(begin)
	turns, err := ReadTurns(pid, pid)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	// The scheduler's clock is not steered by NTP, as that of wall is.
	if err != nil || turns.Ran < used/2 || turns.Ran > 2*used ||
		turns.Ran+turns.Waited > wall+wall/1000 {
		t.Errorf("%+v in %v, CPU time %v: %v", turns, wall, used, err)
	}
}

// TestEachThread: threads of children count, and no more than are asked for.
func TestEachThread(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 100 & echo $!; read line; kill $!")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	var all, one []int
	EachThread(cmd.Process.Pid, 100, func(pid, tid int) { all = append(all, pid, tid) })
	EachThread(cmd.Process.Pid, 1, func(pid, tid int) { one = append(one, pid, tid) })
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	parent := cmd.Process.Pid
	if !slices.Equal(one, []int{parent, parent}) {
		t.Errorf("one thread: %v, want that of %d", one, parent)
	}
	_, err = os.Stat("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/children")
	if err == nil && !slices.Equal(all, []int{parent, parent, child, child}) {
		t.Errorf("%v, want threads of %d and %d", all, parent, child)
	}
}
