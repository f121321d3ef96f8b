package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/serve/api"
)

// SocketName is the name of the service's socket in its run directory.
const SocketName = "ebb.sock"

// backlog is the number of connections to a socket that may wait to be accepted.
const backlog = 256

// errServed says that another service has the socket.
var errServed = errors.New("another ebb serve is running")

// sockets are the service's listening sockets. Their files are opened relative to their directory's
// descriptor, so that no part of the path is looked up again.
type sockets struct {
	everybodys, allowed socket
	path                string // path of everybody's
	dir                 *os.File
	owned               bool  // only root may write to the directory
	stays               bool  // the directory stays when the service ends
	unlisted            error // why the socket of the allowed is root's alone; nil: it is not
}

// socket is one of them.
type socket struct {
	*os.File // listening socket
	name     string
	id       unix.Stat_t // status of the socket's file
}

// listen makes the sockets in a directory of root's, and the directory if it is missing: one for
// everybody, and one for root and those whom a list allows. It replaces the sockets of a service
// that has died, and leaves any other file of their names alone.
func listen(dir string, who access) (_ *sockets, err error) {
	s := &sockets{path: dir + "/" + SocketName, everybodys: socket{name: SocketName},
		allowed: socket{name: api.AllowedName}}
	defer func() {
		if err != nil {
			err = fmt.Errorf("run directory %s: %w", dir, err)
			s.close()
		}
	}()
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	s.dir, err = os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if err := own(s.dir, dir); err != nil {
		return nil, err
	}
	s.owned = true
	if err := s.admit(); err != nil {
		return nil, err
	}
	// A service that starts at the same moment may hold the lock. The wait is short, because
	// everybody who can read the directory can take the lock.
	for range 50 {
		if err = unix.Flock(int(s.dir.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
			defer unix.Flock(int(s.dir.Fd()), unix.LOCK_UN)
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	for _, x := range []*socket{&s.everybodys, &s.allowed} {
		if err := s.clear(x); err != nil {
			return nil, err
		}
	}
	give := func(file string) (err error) {
		s.unlisted, err = who.give(file)
		return err
	}
	if err := s.bind(&s.allowed, give); err != nil {
		return nil, err
	}
	return s, s.bind(&s.everybodys, giveAll)
}

// names lists ebb's own files in a run directory.
var names = []string{SocketName, api.AllowedName, "service", "lock", "snapshot.json"}

// admit lets everybody pass through the directory, but not list it. A directory with other files
// than ebb's keeps its mode.
func (s *sockets) admit() error {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/self/fd/%d", s.dir.Fd()))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !slices.Contains(names, e.Name()) {
			return nil
		}
	}
	return s.dir.Chmod(0o711)
}

// at returns a socket's address by its directory's descriptor, which is short whatever the path is.
func (s *sockets) at(x *socket) *unix.SockaddrUnix {
	return &unix.SockaddrUnix{Name: fmt.Sprintf("/proc/self/fd/%d/%s", s.dir.Fd(), x.name)}
}

// addresses returns the addresses of both.
func (s *sockets) addresses() []string {
	return []string{s.at(&s.everybodys).Name, s.at(&s.allowed).Name}
}

func (s *sockets) stat(x *socket) (st unix.Stat_t, err error) {
	return st, unix.Fstatat(int(s.dir.Fd()), x.name, &st, unix.AT_SYMLINK_NOFOLLOW)
}

// clear removes a socket on which nobody listens. It returns errServed if a service does.
func (s *sockets) clear(x *socket) error {
	st, err := s.stat(x)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at %s: %w", x.name, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return fmt.Errorf("%s is there and no socket", x.name)
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("make a socket: %w", err)
	}
	defer unix.Close(fd)
	switch err := unix.Connect(fd, s.at(x)); {
	case err == nil:
		if u, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			return fmt.Errorf("%w (pid %d)", errServed, u.Pid)
		}
		return errServed
	case errors.Is(err, unix.EAGAIN): // it has many connections waiting
		return errServed
	case !errors.Is(err, unix.ECONNREFUSED):
		return fmt.Errorf("look who listens on %s: %w", x.name, err)
	}
	if err := unix.Unlinkat(int(s.dir.Fd()), x.name, 0); err != nil {
		return fmt.Errorf("remove a dead service's %s: %w", x.name, err)
	}
	return nil
}

// bind makes a socket, and gives its file to those who may connect. The peer's user
// decides what it may read or take.
func (s *sockets) bind(x *socket, give func(file string) error) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("make a socket: %w", err)
	}
	x.File = os.NewFile(uintptr(fd), x.name)
	if err := unix.Bind(fd, s.at(x)); err != nil {
		return fmt.Errorf("make %s: %w", x.name, err)
	}
	if x.id, err = s.stat(x); err == nil {
		err = s.open(x, give)
	}
	if err == nil {
		err = unix.Listen(fd, backlog)
	}
	if err != nil {
		return fmt.Errorf("listen on %s: %w", x.name, err)
	}
	return nil
}

// open lets others connect. It changes the file by a descriptor, so that another file that gets its
// name, such as a link, is not changed.
func (s *sockets) open(x *socket, give func(file string) error) error {
	fd, err := unix.Openat(int(s.dir.Fd()), x.name,
		unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFSOCK || st.Ino != x.id.Ino || st.Dev != x.id.Dev {
		return errors.New("another file has its name")
	}
	return give(fmt.Sprintf("/proc/self/fd/%d", fd))
}

// giveAll lets everybody connect to a socket.
func giveAll(file string) error { return unix.Chmod(file, 0o666) }

// close removes the sockets unless other files have their names, and the directory if it is empty
// and need not stay.
func (s *sockets) close() {
	for _, x := range []*socket{&s.everybodys, &s.allowed} {
		if x.File == nil {
			continue
		}
		if st, err := s.stat(x); err == nil && st.Ino == x.id.Ino && st.Dev == x.id.Dev {
			_ = unix.Unlinkat(int(s.dir.Fd()), x.name, 0) // else the next one finds it dead
		}
		_ = x.File.Close()
	}
	if s.dir != nil {
		_ = s.dir.Close()
		if s.owned && !s.stays {
			_ = unix.Rmdir(strings.TrimSuffix(s.path, "/"+SocketName)) // when it is empty
		}
	}
}

// listenLoopback listens at an address that was checked before, and returns the address in use.
func listenLoopback(address string) (*os.File, string, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, "", err
	}
	defer l.Close() // the file has a descriptor of its own
	f, err := l.(*net.TCPListener).File()
	return f, l.Addr().String(), err
}

// groupName is the group whose members may read a service's state.
const groupName = "ebb"

// groupsFile lists the machine's groups. Only root may write it.
const groupsFile = "/etc/group"

// groupOf returns the number of the group groupName, by the text of a file of groups; -1: it has
// none.
func groupOf(text string) int {
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), ":")
		if len(f) == 4 && f[0] == groupName {
			if n, err := strconv.ParseUint(f[2], 10, 32); err == nil && n != 0 {
				return int(n)
			}
		}
	}
	return -1
}
