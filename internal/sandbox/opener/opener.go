package opener

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// Opener opens files. It is for one goroutine.
type Opener struct {
	images map[protocol.Image]*image
	own    int    // this process's root, for symbols that are installed apart; -1 before it is open
	roots  int    // number of processes' roots that are open
	temp   string // directory of perf maps
}

// image is a process that may be asked for.
type image struct {
	pid     int
	dir     int    // /proc/PID, which stays this process's directory when its id is used again
	last    status // its newest status that was read
	root    *root  // nil: it has this process's root, or its own could not be opened
	rooted  bool   // the root has been looked for
	alike   bool   // it has this process's root and mounts
	other   bool   // the process runs another program
	perfMap int    // descriptor of its perf map; -1: none is held open
	// lays holds where files that were opened lay: the process may have ended when they are wanted.
	lays map[stretch]lay
}

// lay is the directory of a mapped file, and the rights that the process had when it was opened.
type lay struct {
	dir    string
	rights rights
}

// maxImages bounds the processes that are known at a time. Each has a descriptor. At the limit, the
// ended ones are forgotten: the opener then finds their symbols only below its own root.
const maxImages = 1024

// New returns an Opener that knows no process yet. Temp is the directory of perf maps.
func New(temp string) *Opener {
	return &Opener{images: map[protocol.Image]*image{}, own: -1, temp: temp}
}

// Bind says that an image is the process that has this id at that moment.
func (o *Opener) Bind(n protocol.Image, pid int) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return fmt.Errorf("bind process %d: %w", pid, err)
	}
	defer unix.Close(fd)
	return o.bindTo(n, pid, fd)
}

// bindTo says that an image is the process of a pidfd, whose id was this one when it was opened. A
// process that has ended is refused: another one may have its id.
func (o *Opener) bindTo(n protocol.Image, pid, pidfd int) error {
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
	m := &image{pid: pid, dir: dir, perfMap: -1}
	// If the process lives it has had the id until this moment, so that the directory is its own.
	if !runs(pidfd) {
		return errors.Join(fmt.Errorf("bind process %d: it has ended", pid), unix.Close(dir))
	}
	m.last, _ = m.status() // where it cannot be read, files are opened as everybody may
	m.alike = o.seesAlike(m)
	o.images[n] = m
	return nil
}

// runs reports whether a pidfd's process has not ended.
func runs(pidfd int) bool {
	p := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(p, 0)
		if err != unix.EINTR {
			return n == 0 && err == nil
		}
	}
}

// replaced says that an image's process runs another program. Of the image only files of symbols
// and of its distribution are found from then on.
func (o *Opener) replaced(n protocol.Image) {
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
	closeAll(m.perfMap)
	if m.root != nil {
		closeAll(m.root.dir, m.root.temp)
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

// lives reports whether the process has not ended. Another one with its id does not count.
func (img *image) lives() bool { return unix.Faccessat(img.dir, "status", unix.F_OK, 0) == nil }

// Open opens the file that is asked for.
func (o *Opener) Open(r *protocol.Open) (*os.File, error) {
	if r.What == protocol.KernelSymbols {
		return os.Open("/proc/kallsyms")
	}
	m := o.images[r.Image]
	if m == nil && (r.What == protocol.Debug || r.What == protocol.Release) {
		m = &image{dir: -1, rooted: true, perfMap: -1}
	}
	if m == nil || m.other && r.What != protocol.Debug && r.What != protocol.Release {
		return nil, fmt.Errorf("open something of image %d: %w", r.Image, fs.ErrNotExist)
	}
	switch r.What {
	case protocol.Maps:
		o.keep(m)
		return m.inProc("maps")
	case protocol.Memory:
		return m.inProc("mem")
	case protocol.CommandLine:
		return m.inProc("cmdline")
	case protocol.Status:
		return m.inProc("status")
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
	case protocol.Auxiliary:
		return m.inProc("auxv")
	case protocol.Program:
		return m.program(r.Link)
	case protocol.Release:
		return o.release(m)
	}
	return nil, errors.New("open something unknown")
}

// inProc opens one of the kernel's files of the process, for reading. The kernel checks the rights
// when it opens: the file's reader needs none.
func (img *image) inProc(name string) (*os.File, error) {
	fd, err := unix.Openat(img.dir, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open",
			Path: fmt.Sprintf("/proc/%d/%s", img.pid, name), Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// mapped opens the file that is mapped at a range of addresses, through the kernel's own link to
// it: no path is looked up, and it is the file even when it has been deleted or lies in a
// container.
func (o *Opener) mapped(m *image, start, end uint64) (*os.File, error) {
	o.keep(m)
	before, known := m.status()
	name := fmt.Sprintf("map_files/%x-%x", start, end)
	fd, err := unix.Openat(m.dir, name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: fmt.Sprintf("/proc/%d/%s", m.pid, name),
			Err: err}
	}
	if path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil &&
		len(m.lays) < maxLays {
		if m.lays == nil {
			m.lays = map[stretch]lay{}
		}
		// The process may have become a program with other rights meanwhile.
		after, still := m.status()
		by := everybodys
		if known == nil && still == nil && before.rights.equal(after.rights) {
			m.last, by = after, after.rights
		}
		m.lays[stretch{start, end}] = lay{filepath.Dir(path), by}
	}
	return safefile.Reopen(fd, name)
}

// stretch is a range of a process's addresses.
type stretch struct{ start, end uint64 }

// maxLays bounds the directories that are kept of one process.
const maxLays = 64

// runtime opens a mapped file that the kernel is to put breakpoints into: it reads the file itself,
// and cannot be killed while it does.
func (img *image) runtime(start, end uint64) (*os.File, error) {
	f, err := safefile.OpenMapping(img.pid, start, end)
	if err == nil && !img.lives() {
		err = fmt.Errorf("open a file of process %d: it has ended: %w", img.pid, fs.ErrNotExist)
		return nil, errors.Join(err, f.Close())
	}
	return f, err
}

// absent reports whether an error means that there is no such thing.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, syscall.ESRCH)
}
