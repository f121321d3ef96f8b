package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Pipe is a named pipe in a directory of its own, for text that a user's programs write.
type Pipe struct {
	*os.File // its reading end, which never waits; also a writing end, so that it never ends
	// Reader reads and can do nothing else: for a process that is not to be trusted.
	Reader *os.File
	Path   string // by which programs find it
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
	fd, err := open(at, pipeName, unix.O_RDWR|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	p.File = os.NewFile(uintptr(fd), p.Path)
	reader, err := open(at, pipeName, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC,
		0)
	if err != nil {
		return nil, err
	}
	p.Reader = os.NewFile(uintptr(reader), p.Path)
	if os.Geteuid() == 0 {
		if err := unix.Fchown(fd, int(uid), int(gid)); err != nil {
			return nil, err
		}
	}
	return p, unix.Fchmod(at, pipeMode)
}

// mostTemporary bounds the temporary files that are looked at.
const mostTemporary = 1 << 14

// removeStale removes the pipes of this user's processes that were killed before they could: those
// that nobody has open to read. What it cannot look at or remove stays.
func removeStale(path string) {
	dir, err := openDirectory(path, false)
	if err != nil {
		return
	}
	defer unix.Close(dir)
	var st unix.Stat_t
	if unix.Fstat(dir, &st) != nil || othersCanRename(&st) {
		return
	}
	for _, name := range namesIn(dir, mostTemporary) {
		if strings.HasPrefix(name, pipeDirectory) && emptied(dir, name) {
			// Nobody else can put another directory in its place.
			_ = unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
		}
	}
}

// emptied removes the pipe from a directory that is this user's, if nobody reads it, and reports
// whether it did. A directory that is being made has another mode.
func emptied(dir int, name string) bool {
	at, err := open(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(at)
	var st unix.Stat_t
	if unix.Fstat(at, &st) != nil || int(st.Uid) != os.Geteuid() || st.Mode&0o777 != pipeMode {
		return false
	}
	fd, err := open(at, pipeName, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		_ = unix.Close(fd) // nothing was written
	}
	return errors.Is(err, unix.ENXIO) && unix.Unlinkat(at, pipeName, 0) == nil
}

// namesIn are at most so many names in a directory.
func namesIn(dir, most int) []string {
	fd, err := open(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "directory")
	defer f.Close()
	names, _ := f.Readdirnames(most) // those that could be read
	return names
}

// Watch calls full each time that something was written and, for as long as it is not read, again
// after every, from a goroutine that sleeps while nothing is written. It ends with Close.
func (p *Pipe) Watch(every time.Duration, full func()) error {
	raw, err := p.SyscallConn()
	if err != nil {
		return &fs.PathError{Op: "watch", Path: p.Path, Err: err}
	}
	go func() {
		waits := func(fd uintptr) bool {
			poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			n, err := unix.Poll(poll, 0)
			return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
		}
		for raw.Read(waits) == nil {
			full()
			time.Sleep(every)
		}
	}()
	return nil
}

// Close removes the pipe. All that nobody read is lost.
func (p *Pipe) Close() (err error) {
	for _, f := range []*os.File{p.File, p.Reader} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	dir := filepath.Dir(p.Path)
	if e := unix.Unlink(p.Path); e != nil && !errors.Is(e, unix.ENOENT) {
		err = errors.Join(err, e)
	}
	return errors.Join(err, unix.Rmdir(dir))
}

// ErrNoPipe: something else than a pipe has the name.
var ErrNoPipe = errors.New("not a pipe of ebb's")

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
		return wrong(ErrNoPipe)
	}
	if _, err := unix.Write(fd, []byte(text)); err != nil {
		return wrong(err)
	}
	return nil
}
