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
	left, most := 0, 0
	for range many / atOnce {
		all := make(chan *net.UnixConn, atOnce)
		<-asUser(leaseUser, func() {
			defer close(all)
			for range atOnce {
				if c, err := net.Dial("unix", l.socket()); err == nil {
					all <- c.(*net.UnixConn)
				}
			}
		})
		var kept []*net.UnixConn
		for c := range all {
			fd := devtest.Lingering(t)
			_, err := io.WriteString(c, beyond)
			if err == nil {
				_, _, err = c.WriteMsgUnix([]byte("x"), unix.UnixRights(fd), nil)
			}
			if err == nil {
				left++
			} else { // it was refused sooner, and this close is the last
				err = unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{})
				if err != nil {
					t.Fatal(err)
				}
			}
			unix.Close(fd)
			kept = append(kept, c)
		}
		for _, c := range kept {
			_ = c.SetReadDeadline(time.Now().Add(devtest.Hung))
			_, _ = io.ReadAll(c) // an answer, or none
			_ = c.Close()
		}
		most = max(most, threadsOf(service), threadsOf(front))
		if threadsOf(service) == 0 {
			t.Fatalf("it ended after %d: %.2000s", left, read(t, l.stderr))
		}
	}
	t.Logf("%d connections with a socket that lingers, %d threads at most", left, most)
	if left < many/2 || most > 48 {
		t.Errorf("%d connections, %d threads", left, most)
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
