package proc

import (
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// most is the largest number of a descriptor that is handed on.
const most = 1023

// callers are the descriptors above the standard streams that ebb was started with, by number.
var callers = map[int]*os.File{}

// SealInherited keeps every process from inheriting descriptors other than those that are listed
// for it. It is called before anything is opened, or started.
func SealInherited() error {
	for _, fd := range open() {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 && fd <= most {
			callers[fd] = os.NewFile(uintptr(fd), "descriptor "+strconv.Itoa(fd))
		}
	}
	const first = 3 // the standard streams are below
	err := unix.CloseRange(first, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) { // before Linux 5.11
		for _, fd := range open() {
			syscall.CloseOnExec(fd)
		}
		return nil
	}
	return err
}

// open returns the descriptors above the standard streams.
func open() (list []int) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil // without /proc nothing of the caller's is handed on
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			list = append(list, fd)
		}
	}
	slices.Sort(list)
	return list
}

// InheritedFiles returns the standard streams and what the caller had open for its own commands, at
// the same numbers: a command of ebb's own user has them as if the caller had started it.
func InheritedFiles() []*os.File {
	files := []*os.File{os.Stdin, os.Stdout, os.Stderr}
	for fd, f := range callers {
		for len(files) <= fd {
			files = append(files, nil)
		}
		files[fd] = f
	}
	return files
}
