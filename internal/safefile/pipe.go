package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Pipe is a named pipe in a directory of its own, for text that a user's programs write.
type Pipe struct {
	*os.File // its reading end, which never waits; also a writing end, so that it never ends
	// Reader reads and can do nothing else: for a process that is not to be trusted.
	Reader *os.File
	Path   string   // by which programs find it
	bell   *os.File // of Watch
}

const (
	// pipeName is the pipe's name in its directory, whose name begins with pipeDirectory.
	pipeName      = "marks"
	pipeDirectory = ".ebb-marks-"
	// pipeMode is the directory's mode once the pipe is open: who knows the name may pass.
	pipeMode = 0o711
)

// NewPipe makes a pipe that one user may write; root may as well. Others can neither write nor read
// it. It lies among temporary files, under a name that nobody can foresee. The pipes of processes
// that were killed are removed.
func NewPipe(uid, gid uint32) (_ *Pipe, err error) {
	removeStale(os.TempDir())
	dir, err := temporaryDirectory(pipeDirectory)
	if err != nil {
		return nil, err
	}
	p := &Pipe{Path: filepath.Join(dir, pipeName)}
	defer func() {
		if err != nil {
			err = errors.Join(&fs.PathError{Op: "make a pipe", Path: p.Path, Err: err}, p.Close())
		}
	}()
	// The directory is still this process's alone.
	at, err := open(unix.AT_FDCWD, dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|
		unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(at)
	if err := unix.Mkfifoat(at, pipeName, 0o600); err != nil {
		return nil, err
	}
	fd, err := p.end(at, unix.O_RDWR, &p.File)
	if err == nil {
		_, err = p.end(at, unix.O_RDONLY, &p.Reader)
	}
	if err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 {
		if err := unix.Fchown(fd, int(uid), int(gid)); err != nil {
			return nil, err
		}
	}
	return p, unix.Fchmod(at, pipeMode)
}

// end opens one end of the pipe, which has a writer, or gets one. Go's poller must not know it: it
// would wake a thread of this process each time that somebody writes, be it 100,000 times a second.
func (p *Pipe) end(at int, flags int, f **os.File) (fd int, err error) {
	if fd, err = open(at, pipeName, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0); err != nil {
		return noFile, err
	}
	*f = os.NewFile(uintptr(fd), p.Path)
	return fd, unix.SetNonblock(fd, true)
}

// Watch calls full each time that something was written and, for as long as it is not read, again
// after every, from a goroutine that sleeps while nothing is written. It ends with Close.
func (p *Pipe) Watch(every time.Duration, full func()) error {
	wrong := func(err error) error { return &fs.PathError{Op: "watch", Path: p.Path, Err: err} }
	// One event, and none until the next is wanted: writers wake nobody meanwhile.
	once := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLONESHOT}
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return wrong(err)
	}
	pipe := int(p.File.Fd())
	err = errors.Join(unix.EpollCtl(fd, unix.EPOLL_CTL_ADD, pipe, &once),
		unix.SetNonblock(fd, true))
	p.bell = os.NewFile(uintptr(fd), p.Path) // Go's poller waits for it
	raw, errRaw := p.bell.SyscallConn()
	if err = errors.Join(err, errRaw); err != nil {
		return wrong(err)
	}
	go func() {
		rings := func(fd uintptr) bool {
			n, err := unix.EpollWait(int(fd), make([]unix.EpollEvent, 1), 0)
			return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
		}
		var again error
		rearm := func(fd uintptr) {
			again = unix.EpollCtl(int(fd), unix.EPOLL_CTL_MOD, pipe, &once)
		}
		for raw.Read(rings) == nil {
			full()
			time.Sleep(every)
			if err := raw.Control(rearm); err != nil || again != nil {
				return // it was closed
			}
		}
	}()
	return nil
}

// Close removes the pipe. All that nobody read is lost.
func (p *Pipe) Close() (err error) {
	// While it has a reader nobody takes it for a killed process's (removeStale).
	for _, e := range []error{unix.Unlink(p.Path), unix.Rmdir(filepath.Dir(p.Path))} {
		if !errors.Is(e, unix.ENOENT) {
			err = errors.Join(err, e)
		}
	}
	for _, f := range []*os.File{p.bell, p.File, p.Reader} { // the bell knows the other by number
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

// errNoPipe: something else than a pipe has the name.
var errNoPipe = errors.New("not a pipe of ebb's")

// ToPipe writes a short text to a pipe that a reader has open, and never waits: neither for a
// reader nor for room.
func ToPipe(path, text string) error {
	wrong := func(err error) error { return &fs.PathError{Op: "write", Path: path, Err: err} }
	const flags = unix.O_WRONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_NOCTTY | unix.O_CLOEXEC
	fd, err := open(unix.AT_FDCWD, path, flags, 0)
	switch {
	case errors.Is(err, unix.ENXIO):
		return wrong(ErrNoReader)
	case err != nil:
		return wrong(err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return wrong(err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFIFO {
		return wrong(errNoPipe)
	}
	if _, err := unix.Write(fd, []byte(text)); err != nil {
		return wrong(err)
	}
	return nil
}
