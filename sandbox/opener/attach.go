package opener

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ErrNoJVM: the process is no Java machine that answers to being attached to.
var ErrNoJVM = errors.New("not a Java machine that can be attached to")

// attachPatience is the time that a Java machine may take to open its socket.
const attachPatience = time.Second

// attach connects to the socket on which a HotSpot (JDK 17 or newer) takes commands. A file
// .attach_pidN and a SIGQUIT, from the machine's own user or from root, make the machine listen on
// the socket .java_pidN. Its answers are the child's to read.
//
// A process that does not catch SIGQUIT would be ended by it; ErrNoJVM is returned and nothing
// sent.
func (m *image) attach() (*os.File, error) {
	inner, err := m.catching()
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d/root", m.dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// The root's owner chose its files, so a link that leads out of the root is refused.
	tmp, err := root.OpenRoot("tmp")
	if err != nil {
		return nil, err
	}
	defer tmp.Close()
	name := fmt.Sprintf(".java_pid%d", inner)
	c, err := m.connect(tmp, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	file := fmt.Sprintf(".attach_pid%d", inner)
	made, err := m.announce(tmp, file)
	if made {
		defer tmp.Remove(file)
	}
	if err != nil {
		return nil, err
	}
	if err := m.signal(unix.SIGQUIT); err != nil {
		return nil, err
	}
	end := time.Now().Add(attachPatience)
	for ; time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if c, err := m.connect(tmp, name); !errors.Is(err, fs.ErrNotExist) {
			return c, err
		}
		if err := m.signal(0); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("it does not answer")
}

// connect connects to a socket that belongs to the process's user or to root, and is no link.
// ErrNotExist where there is none.
func (m *image) connect(tmp *os.Root, name string) (*os.File, error) {
	if info, err := tmp.Lstat(name); err != nil {
		return nil, err
	} else if info.Mode().Type() != os.ModeSocket {
		return nil, fmt.Errorf("%s is no socket", name)
	}
	path, err := tmp.OpenFile(name, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer path.Close()
	info, err := path.Stat()
	if err != nil {
		return nil, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode().Type() != os.ModeSocket || stat.Uid != m.owner && stat.Uid != 0 {
		return nil, fmt.Errorf("%s is not a socket of the process's user", name)
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	// Connecting to a Unix socket is done at once or refused; that of a full queue is EAGAIN.
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: fmt.Sprintf("/proc/self/fd/%d",
		path.Fd())}); err != nil {
		return nil, errors.Join(fmt.Errorf("connect to %s: %w", name, err), unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), name), nil
}

// announce makes the file that names the asking user, unless it is there. The machine answers to
// its own user's files only.
func (m *image) announce(tmp *os.Root, name string) (made bool, err error) {
	f, err := tmp.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if int(m.owner) != os.Geteuid() {
		err = f.Chown(int(m.owner), -1)
	}
	return true, errors.Join(err, f.Close())
}

// signal sends a signal to the process itself, and not to one that has got its id since.
func (m *image) signal(s unix.Signal) error {
	fd, err := unix.PidfdOpen(m.pid, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	// The descriptor is this process's if the directory of /proc still is.
	if !m.lives() {
		return errors.New("it has ended")
	}
	return unix.PidfdSendSignal(fd, s, nil, 0)
}

// catching is the process's id as it sees it itself. ErrNoJVM when it does not catch SIGQUIT.
func (m *image) catching() (inner int, err error) {
	f, err := m.inProc("status")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	status, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return 0, err
	}
	return parseStatus(string(status))
}

// parseStatus reads /proc/PID/status: the innermost id, and whether SIGQUIT is caught.
func parseStatus(status string) (inner int, err error) {
	catches := false
	for line := range strings.Lines(status) {
		key, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		if len(fields) == 0 {
			continue
		}
		switch key {
		case "NSpid":
			inner, err = strconv.Atoi(fields[len(fields)-1])
		case "SigCgt":
			mask, e := strconv.ParseUint(fields[0], 16, 64)
			catches = e == nil && mask&(1<<(syscall.SIGQUIT-1)) != 0
		}
	}
	if err != nil || inner <= 0 || !catches {
		return 0, ErrNoJVM
	}
	return inner, nil
}
