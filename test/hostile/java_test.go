package hostile

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// listener counts who connects to a socket.
func listener(t *testing.T, path string) *atomic.Int64 {
	t.Helper()
	l, err := net.Listen("unix", path)
	must(t, err)
	must(t, os.Chmod(path, 0o777))
	var n atomic.Int64
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			n.Add(1)
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); os.Remove(path) })
	return &n
}

// attached has ebb ask a process for its compiled code.
func (b *bed) attached(t *testing.T, target *exec.Cmd) *running {
	t.Helper()
	args := append(append([]string{"run", "--methods"}, b.machine()...), "--duration", "700ms",
		"--pid", strconv.Itoa(target.Process.Pid))
	r := b.start(t, args...)
	if !r.within(15 * time.Second) {
		t.Error("ebb still runs 15 s later")
	}
	return r
}

// attackReusedID: while ebb waits for the first of six Java machines to answer, the others end, and
// processes of root's get their ids. They look like Java machines as well, so SIGQUIT reaches them
// if ebb goes by the id.
func attackReusedID(t *testing.T) {
	b := lay(t)
	lib, marks := b.crafted("libjvm.so"), filepath.Join(b.dir, "asked")
	craft(t, lib)
	target := hostile(t, b, attacker("family", "6", "asked", lib, "40", marks))
	time.Sleep(500 * time.Millisecond)
	r := b.start(t, append(append([]string{"run", "--methods"}, b.machine()...), "--duration", "2s",
		"--pid", strconv.Itoa(target.Process.Pid))...)
	var first []string
	r.until("ebb asks a machine", 20*time.Second, func() bool {
		first, _ = filepath.Glob(marks + ".*")
		return len(first) > 0
	})
	victims := filepath.Join(b.own, "victim")
	reused := 0
	for _, pid := range children(t, target.Process.Pid) {
		if strings.HasSuffix(first[0], "."+strconv.Itoa(pid)) {
			continue
		}
		must(t, syscall.Kill(pid, syscall.SIGKILL))
		if takeID(t, pid, attacker("asked", lib, "0", victims)) {
			reused++
		}
	}
	if reused == 0 {
		t.Fatal("no process got an ended one's id")
	}
	if !r.within(20 * time.Second) {
		t.Error("ebb still runs 20 s after its --duration")
	}
	r.finishIfRunning()
	if hit, _ := filepath.Glob(victims + ".*"); len(hit) > 0 {
		t.Errorf("of %d processes that got an ended machine's id, %d got its SIGQUIT", reused,
			len(hit))
	}
}

// children are a process's children.
func children(t *testing.T, pid int) (all []int) {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	must(t, err)
	for _, path := range tasks {
		b, err := os.ReadFile(path)
		must(t, err)
		for _, id := range strings.Fields(string(b)) {
			n, err := strconv.Atoi(id)
			must(t, err)
			all = append(all, n)
		}
	}
	return all
}

// takeID starts a process, as root, that gets the id of one that was killed. It reports false where
// another took the id first.
func takeID(t *testing.T, id int, argv []string) bool {
	t.Helper()
	for range 20 {
		err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(id-1)), 0)
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip("this kernel lets nobody choose the next id")
		}
		must(t, err)
		c := exec.Command(argv[0], argv[1:]...)
		must(t, c.Start())
		if c.Process.Pid == id {
			t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
			return true
		}
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	return false
}

// attackForeignSocket: the socket by which a Java machine of nobody's would listen is another
// user's.
func attackForeignSocket(t *testing.T) {
	b := lay(t)
	lib := b.crafted("libjvm.so")
	craft(t, lib)
	target := hostile(t, b, attacker("silent", lib, "30"))
	path := fmt.Sprintf("/tmp/.java_pid%d", target.Process.Pid)
	connected := listener(t, path)
	must(t, os.Chown(path, 12345, 12345))
	time.Sleep(200 * time.Millisecond)
	b.attached(t, target).finishIfRunning()
	if n := connected.Load(); n > 0 {
		t.Errorf("ebb connected to another user's socket, %d times", n)
	}
}

// attackLinkedSocket: the socket becomes a link to a service of root's, and back, all the time.
func attackLinkedSocket(t *testing.T) {
	b := lay(t)
	must(t, os.Chmod(b.own, 0o711))
	service := filepath.Join(b.own, "service")
	connected := listener(t, service)
	must(t, os.Chmod(service, 0o600))
	lib := b.crafted("libjvm.so")
	craft(t, lib)
	for range 4 {
		target := hostile(t, b, attacker("flipsocket", lib, "30", service))
		t.Cleanup(func() {
			name := fmt.Sprintf("/tmp/.java_pid%d", target.Process.Pid)
			os.Remove(name)
			os.Remove(name + "l")
		})
		time.Sleep(100 * time.Millisecond)
		b.attached(t, target).finishIfRunning()
		_ = target.Process.Kill()
	}
	if n := connected.Load(); n > 0 {
		t.Errorf("ebb connected to root's service, %d times", n)
	}
}

// attackPerfMapRemoved: a program called java starts another one, which writes a perf map for
// itself.
func attackPerfMapRemoved(t *testing.T) {
	b := lay(t)
	java := b.file(t, "java", []byte(fmt.Sprintf("#!/bin/sh\nexec %s family 1 perfmap 1 1.5 %s\n",
		attacker("")[0], b.crafted("where"))))
	r := b.sampled(t, []string{java})
	r.finish(15 * time.Second)
	path, err := os.ReadFile(b.crafted("where"))
	must(t, err)
	if _, err := os.Stat(string(path)); err != nil {
		t.Errorf("ebb removed a perf map that it had not caused: %v", err)
	}
	os.Remove(string(path))
}
