package e2e

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// serviceTasks is the unit's TasksMax.
const serviceTasks = 96

// tasksMax starts commands that may have so many tasks, as a unit with TasksMax does. Where this
// machine has no such controller the commands may have more.
func tasksMax(t *testing.T, n int) func(*exec.Cmd) error {
	t.Helper()
	dir := filepath.Join("/sys/fs/cgroup/pids", fmt.Sprintf("ebb-test-%d", os.Getpid()))
	err := os.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrNotExist) {
		return (*exec.Cmd).Start
	}
	put := func(file string, n int) error {
		return os.WriteFile(filepath.Join(dir, file), []byte(strconv.Itoa(n)), 0o644)
	}
	if err = errors.Join(err, put("pids.max", n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		until(t, "its cgroup is empty", func() bool { return unix.Rmdir(dir) == nil })
	})
	return func(cmd *exec.Cmd) error {
		if err := cmd.Start(); err != nil {
			return err
		}
		return put("cgroup.procs", cmd.Process.Pid)
	}
}

// threadsOf is the number of a process's threads; 0 where it has ended.
func threadsOf(pid int) int {
	list, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	return len(list)
}

// TestServeRefusedDescriptors: a user asks for leases that are refused, and leaves a socket that
// lingers in each connection, in more of them than either process lets wait for a close. Neither
// ends, neither has a thread for each, and others are answered.
func TestServeRefusedDescriptors(t *testing.T) {
	devtest.Long(t)
	needRoot(t)
	nothingLeft(t)
	const many, atOnce = 2048 + 256, 64
	files := unix.Rlimit{}
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil || files.Cur < 2*many {
		t.Skipf("it may not open %d files: %v, %v", 2*many, files, err)
	}
	dir := devtest.Cgroup(t)
	inCgroup(t, dir, spin...)
	l := startLendingBy(t, tasksMax(t, serviceTasks), map[string]string{
		"a.toml": tenantOf("web", dir, "20%")})
	l.goesOn("at first")
	service, front := l.cmd.Process.Pid, l.fronts()[0]
	const beyond = "POST /v1/lease HTTP/1.1\r\nHost: x\r\nContent-Length: 18\r\n\r\n" +
		`{"slowdown":"20%"}`
	most := 0
	for range many / atOnce {
		all := make(chan *net.UnixConn, atOnce)
		// It reads what comes only when all is there: no request is answered before the descriptor
		// behind it has come.
		if err := unix.Kill(front, unix.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		<-asUser(leaseUser, func() {
			defer close(all)
			for range atOnce {
				c, err := net.Dial("unix", l.socket())
				if err != nil {
					t.Error(err)
					break
				}
				all <- c.(*net.UnixConn)
			}
		})
		var kept []*net.UnixConn
		for c := range all {
			if _, err := io.WriteString(c, beyond); err != nil {
				t.Error(err)
			}
			devtest.SendLingering(t, c)
			kept = append(kept, c)
		}
		if err := unix.Kill(front, unix.SIGCONT); err != nil {
			t.Fatal(err)
		}
		for _, c := range kept {
			_ = c.SetReadDeadline(time.Now().Add(devtest.Hung))
			_, _ = io.ReadAll(c) // an answer, or none
			_ = c.Close()
		}
		most = max(most, threadsOf(service), threadsOf(front))
		if threadsOf(service) == 0 {
			t.Fatalf("it ended: %.2000s", read(t, l.stderr))
		}
	}
	if t.Logf("%d threads at most", most); most > 48 {
		t.Errorf("%d threads", most)
	}
	l.goesOn("then")
	if r := ebb(t, "status", "--run-dir", l.runDir); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if pids := l.fronts(); len(pids) != 1 || pids[0] != front {
		t.Errorf("front processes %v, not %d", pids, front)
	}
	if said := l.ends(); strings.Contains(said, "was lost") || strings.Contains(said, "panic") {
		t.Error(said)
	}
}
