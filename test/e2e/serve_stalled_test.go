package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestServeStalledFiles: the directory of tenants is on a file system that stops to answer. The
// loop, leases and the end do not wait for it; and when the file system is gone the tenants stay as
// they were.
func TestServeStalledFiles(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	nothingLeft(t)
	dir := devtest.Cgroup(t)
	inCgroup(t, dir, spin...)
	text := tenantOf("web", dir, "20%")
	l := startLending(t, map[string]string{"a.toml": text})
	l.tenant("web", true)
	stalls := func() *devtest.Stalled {
		t.Helper()
		s := devtest.Stall(t, l.dir, "a.toml", []byte(text), 0)
		s.Opens.Store(true)
		if err := l.cmd.Process.Signal(unix.SIGHUP); err != nil {
			t.Fatal(err)
		}
		until(t, "ebb waits for the directory", func() bool { return s.Asked.Load() > 0 })
		return s
	}
	ready, reloads := l.count("READY=1"), l.count("RELOADING=1\nMONOTONIC_USEC=")
	s := stalls()
	l.goesOn("while nothing is read")
	if r := finish(t, l.join(leaseUser, "--", "true")); r.code != 0 {
		t.Errorf("a lease meanwhile: %+v", r)
	}
	if n, of := l.count("READY=1"), l.count("RELOADING=1\nMONOTONIC_USEC="); n != ready ||
		of != reloads+1 {
		t.Errorf("it said %d times that it reloads, and %d times that it is ready", of-reloads,
			n-ready)
	}
	s.End()
	until(t, "it says that nothing has changed", func() bool {
		return strings.Contains(read(t, l.stderr), "stay as they were")
	})
	until(t, "it is ready again", func() bool { return l.count("READY=1") > ready })
	l.reload() // the directory below is there again
	s = stalls()
	l.goesOn("while nothing is read again")
	if err := l.cmd.Process.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	until(t, "it says that it has ended", func() bool {
		return strings.Contains(read(t, l.stderr), "ends after")
	})
	s.End() // the kernel ends no process before that
	if code := wait(t, l.cmd).ExitCode(); code != 0 {
		t.Errorf("status %d: %s", code, read(t, l.stderr))
	}
}

// TestServeSentDescriptors: a user leaves descriptors whose close waits in all the connections that
// he may have, and in more. Others are answered by the same front process, which has no more
// threads for it, and the service ends as ever.
func TestServeSentDescriptors(t *testing.T) {
	s := startFronted(t)
	s.goesOn("at first")
	for dir := filepath.Dir(s.runDir); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	front := s.fronts()[0]
	if err := unix.Kill(front, unix.SIGSTOP); err != nil { // so that they are there when it accepts
		t.Fatal(err)
	}
	const many = 128 // twice what a user may have
	connected := make(chan net.Conn, many)
	<-asUser(4321, func() {
		defer close(connected)
		for range many {
			if c, err := net.Dial("unix", s.socket()); err == nil {
				connected <- c
			}
		}
	})
	if len(connected) < many {
		t.Fatalf("%d connections", len(connected))
	}
	for c := range connected {
		t.Cleanup(func() { c.Close() })
		devtest.SendLingering(t, c.(*net.UnixConn))
	}
	if err := unix.Kill(front, unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	s.goesOn("beside descriptors that nobody takes")
	if r := ebb(t, "status", "--run-dir", s.runDir); r.code != 0 {
		t.Errorf("%+v", r)
	}
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", front))
	if err != nil || len(threads) > 24 {
		t.Errorf("%d threads, %v", len(threads), err)
	}
	if said := s.ends(); strings.Contains(said, "was lost") {
		t.Error(said)
	}
}
