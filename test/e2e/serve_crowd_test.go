package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestServeCrowd: 16 and 64 users who connect as often as they can, and keep what they get, keep
// neither root nor a user who may take leases out.
func TestServeCrowd(t *testing.T) {
	dir := devtest.Cgroup(t)
	inCgroup(t, dir, spin...)
	l := startLending(t, map[string]string{"a.toml": tenantOf("web", dir, "20%")})
	for dir := filepath.Dir(l.runDir); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	l.goesOn("at first")
	crowds, times := []int{16, 64}, devtest.Cases(20, 8)
	if testing.Short() {
		crowds = crowds[1:]
	}
	for _, users := range crowds {
		over := make(chan struct{})
		end := sync.OnceFunc(func() { close(over) })
		t.Cleanup(end) // the threads end after a fault too
		var all []chan struct{}
		var begun sync.WaitGroup
		for i := range users {
			begun.Add(1)
			all = append(all, asUser(uintptr(40_000+i), func() {
				crowd(l.socket(), min(mostKept, mostOpen/users), &begun, over)
			}))
		}
		begun.Wait()
		answered, lent := 0, 0
		var why string
		slowest := time.Duration(0)
		for range times {
			began := time.Now()
			if r := ebb(t, "status", "--run-dir", l.runDir); r.code == 0 {
				answered++
			} else {
				why = r.stderr
			}
			slowest = max(slowest, time.Since(began))
		}
		for range times / 4 {
			began := time.Now()
			if r := finish(t, l.join(leaseUser, "--", "true")); r.code == 0 {
				lent++
			} else {
				why += r.stderr
			}
			slowest = max(slowest, time.Since(began))
		}
		end()
		for _, c := range all {
			<-c
		}
		t.Logf("beside %d users: %d of %d answers, %d of %d leases, the slowest after %v", users,
			answered, times, lent, times/4, slowest)
		if answered != times || lent != times/4 {
			t.Errorf("beside %d users: %s", users, why)
		}
	}
	if said := l.ends(); strings.Contains(said, "was lost") {
		t.Error(said)
	}
}

const (
	mostKept = 80   // more than a user's places
	mostOpen = 3200 // less than the descriptors that a process may have (RLIMIT_NOFILE)
)

// crowd connects until it is over, and keeps some of the connections. Where it cannot connect it
// pauses: so the queue stays full, and the service's own process runs.
func crowd(socket string, kept int, begun *sync.WaitGroup, over chan struct{}) {
	var all []int
	at := &syscall.SockaddrUnix{Name: socket}
	for i := 0; ; i++ {
		select {
		case <-over:
			for _, fd := range all {
				_ = syscall.Close(fd)
			}
			return
		default:
		}
		if i == kept {
			begun.Done()
		}
		fd, err := syscall.Socket(syscall.AF_UNIX,
			syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		if syscall.Connect(fd, at) != nil { // others fill the queue
			_ = syscall.Close(fd)
			time.Sleep(time.Millisecond)
			continue
		}
		_, _ = syscall.Write(fd, []byte("GET /v1/health HTTP/1.1\r\nHost: x\r\n"))
		if all = append(all, fd); len(all) > kept {
			_ = syscall.Close(all[0])
			all = all[1:]
		}
	}
}
