package safefile

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// OpenRegular opens a file for reading, by a path without links (filepath.EvalSymlinks has one): a
// link in it was put there since and is an error, unix.ELOOP. It waits for no writer of a pipe and
// touches no device.
func OpenRegular(path string) (*os.File, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return reopen(fd, path, check)
}

// OpenRoots opens a regular file for reading, also through links. All directories and links on the
// way must be root's or ebb's own user's, so that nobody else can lead elsewhere, and the user who
// called sudo is no exception. Whose the file is, is the caller's to look at.
func OpenRoots(path string) (*os.File, error) {
	p, err := (&walk{dir: noFile, roots: true}).locate(path)
	if err != nil {
		return nil, err
	}
	defer p.close()
	fd, err := open(p.dir, p.name, pathOnly, 0)
	if err != nil {
		return nil, p.wrong("open", err)
	}
	return reopen(fd, path, check)
}

// OpenMapping opens for reading the file that a process has mapped at these addresses, which must
// be those of one line of its /proc/PID/maps. No path of the process's is used, so that it is that
// file even if another one has its name now, or none. The name of the opened file is the one in
// /proc. It needs CAP_CHECKPOINT_RESTORE and the right to trace the process
// (proc_pid_map_files(5)).
func OpenMapping(pid int, start, end uint64) (*os.File, error) {
	path := fmt.Sprintf("/proc/%d/map_files/%x-%x", pid, start, end)
	if err := inProc(path); err != nil {
		return nil, err
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return reopen(fd, path, check)
}

// OpenProgram opens for reading the program that a process runs, whatever has its name now. The
// name of the opened file is the one that it had. It needs the right to trace the process.
func OpenProgram(pid int) (*os.File, error) {
	path := fmt.Sprintf("/proc/%d/exe", pid)
	if err := inProc(path); err != nil {
		return nil, err
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	if name, err := os.Readlink(path); err == nil {
		path = name
	}
	return reopen(fd, path, check)
}

// Reopen opens for reading what a descriptor opened with O_PATH stands for, if that is a regular
// file, and closes the descriptor. The file may be on any file system, so that Reopen and the
// reads that follow can stall. Name is for errors and the opened file.
func Reopen(fd int, name string) (*os.File, error) { return reopen(fd, name, checkType) }

// reopen is Reopen with a check. The descriptor fixes which file it is before anything is done that
// a pipe, a device or a file system could notice.
func reopen(fd int, path string, check func(fd int) error) (*os.File, error) {
	defer unix.Close(fd)
	if err := check(fd); err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	again := descriptorPath(uintptr(fd))
	if err := inProc(again); err != nil {
		return nil, err
	}
	opened, err := unix.Open(again, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(opened), path), nil
}

// descriptorPath is a path by which the kernel finds exactly the file that a descriptor of this
// process stands for, whatever has its name (proc_pid_fd(5)).
func descriptorPath(fd uintptr) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }

// Reopened returns descriptorPath of an opened file, when it leads to that file.
func Reopened(f *os.File) (string, error) {
	path := descriptorPath(f.Fd())
	if err := inProc(path); err != nil {
		return "", err
	}
	want, err := f.Stat()
	if err != nil {
		return "", err
	}
	if got, err := os.Stat(path); err != nil || !os.SameFile(got, want) {
		return "", fmt.Errorf("%s is not the file that was opened", path)
	}
	return path, nil
}

// inProc sees that a path below /proc is the kernel's, and not one of files that were put there.
func inProc(path string) error {
	var system unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(path), &system); err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	if system.Type != unix.PROC_SUPER_MAGIC {
		return fmt.Errorf("%s is not in a proc file system", path)
	}
	return nil
}
