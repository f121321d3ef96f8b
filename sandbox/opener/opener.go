package opener

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/regular"
	"github.com/ebb-energy/ebb/sandbox/protocol"
)

// Opener opens files. It is for one goroutine.
type Opener struct {
	images map[protocol.Image]*image
	own    *os.Root // this process's root, for symbols that are installed apart
	roots  int      // of processes that are open
	temp   string   // where perf maps lie
}

// image is a process that may be asked for.
type image struct {
	pid    int
	dir    int // /proc/PID, which stays this process's when its id is used again
	owner  uint32
	root   *os.Root // nil where it is this process's own
	rooted bool     // the root was looked for
	other  bool     // the process has another program now
	// dirs are the directories of files that were opened: the process may have ended when they are
	// wanted.
	dirs map[stretch]string
}

// noUser is the id of no user: (uid_t)-1 (setreuid(2)).
const noUser = ^uint32(0)

// maxImages bounds the processes that are known at a time. Each has a descriptor. At the limit, the
// ended ones are forgotten: the opener then finds their symbols only below its own root.
const maxImages = 1024

// New opens nothing yet. Temp is the directory of perf maps.
func New(temp string) *Opener { return &Opener{images: map[protocol.Image]*image{}, temp: temp} }

// Bind says that an image is a process.
func (o *Opener) Bind(n protocol.Image, pid int) error {
	if len(o.images) >= maxImages {
		o.forgetEnded()
	}
	if _, known := o.images[n]; known || len(o.images) >= maxImages {
		return fmt.Errorf("bind process %d: its number is taken, or there are too many", pid)
	}
	dir, err := unix.Open(fmt.Sprintf("/proc/%d", pid),
		unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("bind process %d: %w", pid, err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(dir, &st); err != nil {
		return errors.Join(fmt.Errorf("bind process %d: %w", pid, err), unix.Close(dir))
	}
	o.images[n] = &image{pid: pid, dir: dir, owner: st.Uid}
	return nil
}

// Replaced says that an image's process has another program now. Of the image only files of symbols
// are found from then on.
func (o *Opener) Replaced(n protocol.Image) {
	if m := o.images[n]; m != nil {
		m.other = true
	}
}

// Forget closes the files of an image.
func (o *Opener) Forget(n protocol.Image) {
	m := o.images[n]
	if m == nil {
		return
	}
	delete(o.images, n)
	_ = unix.Close(m.dir) // it was a path only
	if m.root != nil {
		_ = m.root.Close()
		o.roots--
	}
}

func (o *Opener) forgetEnded() {
	for n, m := range o.images {
		if !m.lives() {
			o.Forget(n)
		}
	}
}

// lives reports whether the process is there, and not another one by its id.
func (m *image) lives() bool { return unix.Faccessat(m.dir, "status", unix.F_OK, 0) == nil }

// Open opens the file that is asked for.
func (o *Opener) Open(r *protocol.Open) (*os.File, error) {
	if r.What == protocol.KernelSymbols {
		return os.Open("/proc/kallsyms")
	}
	m := o.images[r.Image]
	if m == nil && r.What == protocol.Debug {
		m = &image{dir: -1, rooted: true, owner: noUser}
	}
	if m == nil || m.other && r.What != protocol.Debug {
		return nil, fmt.Errorf("open something of image %d: %w", r.Image, fs.ErrNotExist)
	}
	switch r.What {
	case protocol.Maps:
		return m.inProc("maps")
	case protocol.Memory:
		return m.inProc("mem")
	case protocol.CommandLine:
		return m.inProc("cmdline")
	case protocol.Mapped:
		return o.mapped(m, r.Start, r.End)
	case protocol.Runtime:
		return m.runtime(r.Start, r.End)
	case protocol.Debug:
		return o.debug(m, r)
	case protocol.PerfMap:
		return o.perfMap(m)
	case protocol.Attached:
		return m.attach()
	}
	return nil, errors.New("open something unknown")
}

// inProc opens one of the kernel's files of the process, for reading. The kernel checks the rights
// now: the file's reader needs none.
func (m *image) inProc(name string) (*os.File, error) {
	fd, err := unix.Openat(m.dir, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open",
			Path: fmt.Sprintf("/proc/%d/%s", m.pid, name), Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// mapped opens the file that is mapped at a range of addresses, through the kernel's own link to
// it: no path is looked up, and it is the file even when it has been deleted or lies in a
// container.
func (o *Opener) mapped(m *image, start, end uint64) (*os.File, error) {
	o.findRoot(m)
	name := fmt.Sprintf("map_files/%x-%x", start, end)
	fd, err := unix.Openat(m.dir, name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: fmt.Sprintf("/proc/%d/%s", m.pid, name),
			Err: err}
	}
	if path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil &&
		len(m.dirs) < maxDirs {
		if m.dirs == nil {
			m.dirs = map[stretch]string{}
		}
		m.dirs[stretch{start, end}] = filepath.Dir(path)
	}
	return regular.Reopen(fd, name)
}

// stretch is a range of a process's addresses.
type stretch struct{ start, end uint64 }

// maxDirs bounds the directories that are kept of one process.
const maxDirs = 64

// runtime opens a mapped file that the kernel is to put breakpoints into: it reads the file itself,
// and cannot be killed while it does.
func (m *image) runtime(start, end uint64) (*os.File, error) {
	f, err := regular.OpenMapping(m.pid, start, end)
	if err == nil && !m.lives() {
		err = fmt.Errorf("open a file of process %d: it has ended: %w", m.pid, fs.ErrNotExist)
		return nil, errors.Join(err, f.Close())
	}
	return f, err
}

// perfMap opens the list of code that the process's virtual machine compiled. Anybody can put a
// file there: it must belong to the process's user or to root, and be no link.
func (o *Opener) perfMap(m *image) (*os.File, error) {
	path := fmt.Sprintf("%s/perf-%d.map", o.temp, m.pid)
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "read perf map", Path: path, Err: err}
	}
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Uid != m.owner && st.Uid != 0 {
		err = fmt.Errorf("read perf map %s: it is not a regular file of the process's user", path)
		return nil, errors.Join(err, unix.Close(fd))
	}
	return regular.Reopen(fd, path)
}

// absent reports whether an error means that there is no such thing.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, syscall.ESRCH)
}
