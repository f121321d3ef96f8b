package serve

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestLeaseOldKernel: without a descriptor of the peer (before Linux 6.5) its id counts, unless its
// process began after the connection.
func TestLeaseOldKernel(t *testing.T) {
	b := newBench(t)
	new := pidfdOf
	defer func() { pidfdOf = new }()
	pidfdOf = func(int) (int, error) { return -1, unix.ENOPROTOOPT }
	fd, end := b.accepted(testUser, "")
	if err := b.asks(fd, 0.05, time.Minute); err != nil {
		t.Fatal(err)
	}
	b.hears("began after the connection", board.Ended)
	end()
	fd, end = b.accepted(testUser, "leaves")
	if err := b.asks(fd, 0.05, 0); err != nil {
		t.Fatal(err)
	}
	b.hears("has ended", board.Ended)
	end()
	fd, end = b.accepted(testUser, "")
	if err := b.asks(fd, 0.05, 0); err != nil {
		t.Fatal(err)
	}
	b.hears("by its id", board.Granted)
	end()
	<-b.g.back
}

// lastPID is the file by which root says which number the next process has (proc_sys_kernel(5)).
const lastPID = "/proc/sys/kernel/ns_last_pid"

// numbered starts a process of the test's user with a number; false where it has another one.
func numbered(t *testing.T, pid int) (_ *exec.Cmd, has bool) {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: testUser, Gid: testUser}}
	cmd.Dir = "/"
	if err := os.WriteFile(lastPID, []byte(strconv.Itoa(pid-1)), 0); err != nil {
		t.Skip("no number can be chosen: ", err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, cmd.Process.Pid == pid
}

// TestLeaseNumberReused: a process that has the number of the one that connected gets no lease,
// neither by its descriptor nor, on older kernels, by its age. It is the same user's, so that
// nothing but these two distinguish it.
func TestLeaseNumberReused(t *testing.T) {
	b := newBench(t)
	new := pidfdOf
	defer func() { pidfdOf = new }()
	for what, of := range map[string]func(int) (int, error){"by its descriptor": new,
		"by its age": func(int) (int, error) { return -1, unix.ENOPROTOOPT }} {
		pidfdOf = of
		for try := 0; ; try++ {
			fd, end := b.accepted(testUser, "leaves")
			accepted := time.Now()
			cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(3 * tick)
			victim, has := numbered(t, int(cred.Pid))
			if !has && try < 100 { // another process was faster
				_ = victim.Process.Kill()
				unix.Close(fd)
				end()
				continue
			}
			if !has {
				t.Fatal("no process got the number")
			}
			if err := b.asks(fd, 0.05, time.Since(accepted)); err != nil {
				t.Fatal(err)
			}
			b.hears(what, board.Ended)
			end()
			break
		}
	}
}

// TestLeaseForged: what a front process that somebody has taken over could send instead of a
// connection that was made to the socket ends it, and nobody has a lease.
func TestLeaseForged(t *testing.T) {
	b := newBench(t)
	for _, text := range []string{"", "x", strings.Repeat("\xff", board.AskSize)} {
		fd, end := b.accepted(testUser, "")
		if err := b.take([]byte(text), fd, b.answer); err == nil {
			t.Errorf("takes %q", text)
		}
		end()
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	packets, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
	if err != nil {
		t.Fatal(err)
	}
	tcp, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	other, err := net.Listen("unix", filepath.Join(t.TempDir(), "other"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go func() {
		if c, err := net.Dial("unix", other.Addr().String()); err == nil {
			defer c.Close()
			_, _ = c.Read(make([]byte, 1))
		}
	}()
	elsewhere, err := other.Accept()
	if err != nil {
		t.Fatal(err)
	}
	open := func(path string) int {
		fd, err := unix.Open(path, unix.O_RDONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		return fd
	}
	// No process starts from here on: it would have what lingers as well, and close it last.
	for what, fd := range map[string]int{"none": -1, "a file": open("/dev/null"),
		"a directory": open("/"), "a pair": pair[0], "packets": packets[0], "TCP": tcp,
		"what listens":     descriptor(t, b.l),
		"another socket's": descriptor(t, elsewhere.(*net.UnixConn)),
		// As a FUSE file's can, its last close waits for what another process does.
		"TCP that lingers": devtest.Lingering(t)} {
		began := time.Now()
		if err := b.asks(fd, 0.05, 0); err == nil {
			t.Errorf("takes %s", what)
		}
		if took := time.Since(began); took > devtest.Lingers/2 {
			t.Errorf("%s holds it up for %v", what, took)
		}
	}
	elsewhere.Close()
	_, _ = unix.Close(pair[1]), unix.Close(packets[1])
	if len(b.answers)+len(b.g.took) > 0 {
		t.Error("something forged was answered")
	}
}

// TestLeaseClosesLate: what a holder has sent on its connection, and nobody reads, may take long to
// close. The lease ends at once, its number stays taken, and the service's end waits for neither.
func TestLeaseClosesLate(t *testing.T) {
	b := newBench(t)
	client, fd := b.connects()
	devtest.SendLingering(t, client)
	occupied(t)
	if err := b.asks(fd, 0.05, 0); err != nil {
		t.Fatal(err)
	}
	b.hears("root's", board.Granted)
	client.Close()
	<-b.g.back
	began := time.Now()
	b.close()
	if took := time.Since(began); took > devtest.Lingers/2 {
		t.Errorf("the service's end took %v", took)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.taken[0].taken[0] {
		t.Error("its number is free while its descriptors are open")
	}
}
