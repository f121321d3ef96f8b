package opener

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// errNoJVM says that the process is no Java machine that answers to being attached to.
var errNoJVM = errors.New("not a Java machine that can be attached to")

// attachPatience is the time that a Java machine may take to open its socket.
const attachPatience = time.Second

// attach connects to the socket on which a HotSpot (JDK 17 or newer) takes commands. A file
// .attach_pidN and a SIGQUIT, from the machine's own user or from root, make the machine listen on
// the socket .java_pidN. Its answers are the child's to read.
//
// The root's owner chose the root's files. So all is done by the process's own rights; with these
// the file also belongs to the machine's user, as the machine demands.
//
// A process that does not catch SIGQUIT would be ended by it; errNoJVM is returned and nothing
// sent.
func (img *image) attach() (_ *os.File, err error) {
	s, err := img.status()
	if err != nil {
		return nil, err
	}
	if s.inner == 0 || !s.catches || s.rights.mixed {
		return nil, errNoJVM
	}
	root, err := img.openRoot()
	if err != nil {
		return nil, err
	}
	defer unix.Close(root)
	tmp, name := -1, fmt.Sprintf(".java_pid%d", s.inner)
	defer func() { closeAll(tmp) }()
	var c *os.File
	err = s.rights.do(forPeers, func() (err error) {
		if tmp, err = openBelow(root, "tmp", unix.O_PATH|unix.O_DIRECTORY, 0); err == nil {
			c, err = img.connect(tmp, name, s.rights.user)
		}
		return err
	})
	if tmp < 0 || !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	file, made := fmt.Sprintf(".attach_pid%d", s.inner), false
	err = s.rights.do(forFiles, func() (err error) {
		made, err = announce(tmp, file)
		return err
	})
	if made {
		defer func() {
			gone := s.rights.do(forFiles, func() error { return unix.Unlinkat(tmp, file, 0) })
			if gone != nil && c == nil {
				err = errors.Join(err, fmt.Errorf("remove %s: %w", file, gone))
			}
		}()
	}
	if err != nil {
		return nil, err
	}
	// Its user can have kept the file system waiting, and the process can have executed another
	// program meanwhile, which the signal would end.
	if is, err := img.status(); err != nil || !is.catches || is.rights.mixed {
		return nil, errors.Join(errNoJVM, err)
	}
	if err := img.signal(unix.SIGQUIT); err != nil {
		return nil, err
	}
	err = s.rights.do(forPeers, func() (err error) {
		c, err = img.await(tmp, name, s.rights.user)
		return err
	})
	return c, err
}

// await connects to a socket as soon as it is there.
func (img *image) await(tmp int, name string, user uint32) (*os.File, error) {
	end := time.Now().Add(attachPatience)
	for ; time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if c, err := img.connect(tmp, name, user); !errors.Is(err, fs.ErrNotExist) {
			return c, err
		}
		if !img.lives() {
			return nil, errors.New("it has ended")
		}
	}
	return nil, errors.New("it does not answer")
}

// connect connects to a socket that is the process's user's, is no link, and on which the process
// itself listens. The calling thread has the process's rights. The error is ErrNotExist where there
// is no such socket.
func (img *image) connect(tmp int, name string, user uint32) (*os.File, error) {
	path, err := openBelow(tmp, name, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(path)
	var st unix.Stat_t
	if err := unix.Fstat(path, &st); err != nil {
		return nil, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFSOCK || st.Uid != user {
		return nil, fmt.Errorf("%s is not a socket of the process's user", name)
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	// The kernel connects to a Unix socket at once or refuses; with a full queue it returns EAGAIN.
	err = unix.Connect(fd, &unix.SockaddrUnix{Name: fmt.Sprintf("/proc/self/fd/%d", path)})
	if err != nil {
		err = fmt.Errorf("connect to %s: %w", name, err)
	} else {
		err = img.listens(fd)
	}
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), name), nil
}

// listens returns nil if the process itself made the socket at the other end listen, and lives.
// Another process's socket could stand in its place, one of another user's among them. The socket
// has the id that its maker had, which may be this process's meanwhile: so the maker must live as
// well, as far as the kernel can say that (SO_PEERPIDFD, from Linux 6.5 on).
func (img *image) listens(fd int) error {
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return fmt.Errorf("find out who listens: %w", err)
	}
	maker, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	lives := errors.Is(err, unix.ENOPROTOOPT)
	if err == nil {
		lives = runs(maker)
		_ = unix.Close(maker) // nothing was written
	}
	if int(peer.Pid) != img.pid || !lives || !img.lives() {
		return errors.New("another process listens on its socket")
	}
	return nil
}

// announce makes the file that names the asking user, unless it is there. The machine answers to
// its own user's files only, as the calling thread's rights make it.
func announce(tmp int, name string) (made bool, err error) {
	fd, err := openBelow(tmp, name, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, unix.Close(fd)
}

// signal sends a signal to the process itself, and not to one that has got its id since.
func (img *image) signal(s unix.Signal) error {
	fd, err := unix.PidfdOpen(img.pid, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	// The descriptor is this process's if the directory of /proc still is.
	if !img.lives() {
		return errors.New("it has ended")
	}
	return unix.PidfdSendSignal(fd, s, nil, 0)
}
