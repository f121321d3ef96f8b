package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/serve/board"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/unixconn"
	"github.com/ebb-energy/ebb/internal/sandbox"
	"github.com/ebb-energy/ebb/units"
)

// connectEnv has the test's binary connect to a socket, as connecting says.
const connectEnv = "EBB_TEST_CONNECT"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == sandbox.FrontCommand {
		forging()
		return
	}
	if path := os.Getenv(connectEnv); path != "" {
		connecting(path, os.Getenv("EBB_TEST_HOW"))
		return
	}
	os.Exit(m.Run())
}

// forging is a front process that sends what is no connection, and then waits for its end.
func forging() {
	c := unixconn.New(3)
	text := (&board.Ask{Slowdown: 0.05}).Encode()
	_ = c.Send(text[:], c.FD())
	_, _, _ = c.Receive(text[:])
}

// connecting connects, says so, and lives until its input ends. How "setuid" has it get root's
// rights back before, "leaves" has it leave the connection to another process and end.
func connecting(path, how string) {
	user, err := strconv.Atoi(os.Getenv("EBB_TEST_USER"))
	if err == nil {
		err = syscall.Setresuid(user, user, user)
	}
	fd, _ := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		err = unix.Connect(fd, &unix.SockaddrUnix{Name: path})
	}
	if err == nil && how == "setuid" {
		err = syscall.Setresuid(testUser, 0, 0)
	}
	if err == nil && how == "leaves" {
		cmd := exec.Command("sleep", "1000")
		cmd.ExtraFiles = []*os.File{os.NewFile(uintptr(fd), "connection")}
		err = cmd.Start()
		fmt.Println(err, cmd.Process.Pid)
		return
	}
	fmt.Println(err, 0)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

const (
	testUser  = 54322
	testAgent = 54399
)

// governs stands for a service that governs.
type governs struct {
	err  error
	took chan *tenantLease
	back chan *tenantLease

	exits atomic.Bool
}

func (g *governs) Take(_ context.Context, x *tenantLease) error {
	g.took <- x
	return g.err
}

func (g *governs) GiveBack(_ context.Context, x *tenantLease) error {
	g.back <- x
	return nil
}

func (g *governs) Exits(*tenantLease) bool { return g.exits.Load() }

// leaseBench is a socket, and what takes what a front process asks for.
type leaseBench struct {
	*leases
	t       *testing.T
	g       *governs
	path    string
	l       *net.UnixListener
	answers chan board.Answer
}

func newBench(t *testing.T) *leaseBench {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, to be another user")
	}
	b := &leaseBench{t: t, answers: make(chan board.Answer, 99),
		g: &governs{took: make(chan *tenantLease, 99), back: make(chan *tenantLease, 99)}}
	var unknown []string
	allow := config.Allow{}
	if err := errors.Join(allow.Users.Set(fmt.Sprint("root,nobody-here,", testUser)),
		allow.Budgets.Set("1%..10%"), allow.Agents.Set(fmt.Sprint(testAgent)),
		allow.Namespaces.Set("shop,batch")); err != nil {
		t.Fatal(err)
	}
	b.leases, unknown = newLeases(nil, allow)
	if len(unknown) != 1 || unknown[0] != "nobody-here" {
		t.Errorf("unknown: %q", unknown)
	}
	b.leases.governs = b.g
	dir, err := os.MkdirTemp("", "ebb-lease")
	if err != nil {
		t.Fatal(err)
	}
	b.path = filepath.Join(dir, "s")
	b.l, err = net.ListenUnix("unix", &net.UnixAddr{Name: b.path, Net: "unix"})
	if err := errors.Join(err, os.Chmod(dir, 0o755), os.Chmod(b.path, 0o666)); err != nil {
		t.Fatal(err)
	}
	b.names = []string{b.path}
	t.Cleanup(func() {
		b.close()
		b.l.Close()
		os.RemoveAll(dir)
	})
	return b
}

// accepted is the descriptor of a connection that another process makes, with its end.
func (b *leaseBench) accepted(user uint32, how string) (fd int, end func()) {
	b.t.Helper()
	self, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), connectEnv+"="+b.path, "EBB_TEST_HOW="+how,
		fmt.Sprintf("EBB_TEST_USER=%d", user))
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	var heir int
	if n, _ := fmt.Sscanf(line, "<nil> %d", &heir); n != 1 || err != nil {
		b.t.Fatalf("%q, %v", line, err)
	}
	c, err := b.l.AcceptUnix()
	if err != nil {
		b.t.Fatal(err)
	}
	fd = descriptor(b.t, c)
	c.Close()
	if heir != 0 {
		_ = cmd.Wait()
	}
	return fd, func() {
		in.Close()
		if heir != 0 {
			_ = syscall.Kill(heir, syscall.SIGKILL)
		} else {
			_ = cmd.Wait()
		}
	}
}

// connects connects as this process, and returns the connection with its descriptor.
func (b *leaseBench) connects() (client *net.UnixConn, fd int) {
	b.t.Helper()
	client, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: b.path, Net: "unix"})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { client.Close() })
	c, err := b.l.AcceptUnix()
	if err != nil {
		b.t.Fatal(err)
	}
	defer c.Close()
	return client, descriptor(b.t, c)
}

// descriptor is a descriptor of a socket's own.
func descriptor(t *testing.T, of interface{ File() (*os.File, error) }) int {
	t.Helper()
	f, err := of.File()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fd, err := unix.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

// asks hands a packet to the service's side.
func (b *leaseBench) asks(fd int, s units.Slowdown, waited time.Duration) error {
	return b.asksFor(fd, board.Ask{Slowdown: s, Waited: waited})
}

func (b *leaseBench) asksFor(fd int, a board.Ask) error {
	a.ID = 9
	text := a.Encode()
	return b.take(text[:], fd, b.answer)
}

// asksAgain asks on a connection of which the test keeps a descriptor, and waits for the answer.
func (b *leaseBench) asksAgain(what string, fd int, a board.Ask, want board.Outcome) board.Answer {
	b.t.Helper()
	again, err := unix.Dup(fd)
	if err == nil {
		err = b.asksFor(again, a)
	}
	if err != nil {
		b.t.Fatal(what, err)
	}
	return b.hears(what, want)
}

func (b *leaseBench) answer(a *board.Answer) error { b.answers <- *a; return nil }

// hears waits for an answer.
func (b *leaseBench) hears(what string, want board.Outcome) (a board.Answer) {
	b.t.Helper()
	select {
	case a = <-b.answers:
	case <-time.After(devtest.Hung):
		b.t.Fatalf("%s: no answer", what)
	}
	if a.Result != want || a.ID != 9 {
		b.t.Errorf("%s: %+v, want result %d", what, a, want)
	}
	return a
}

// gone waits until a user has no lease.
func (b *leaseBench) gone(user uint32) {
	b.t.Helper()
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		b.mu.Lock()
		some := slices.Contains(b.taken[user].taken[:], true)
		b.mu.Unlock()
		if !some {
			return
		}
		if time.Since(began) > devtest.Hung {
			b.t.Fatalf("user %d has leases yet", user)
		}
	}
}
