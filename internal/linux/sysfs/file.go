package sysfs

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// File is an open attribute, with the meaning of the system calls pread and pwrite: a Pread at
// offset 0 asks for the value, a Pwrite at offset 0 hands one over, and 0 bytes without an error is
// the end.
type File interface {
	Pread(p []byte, off int64) (int, error)
	Pwrite(p []byte, off int64) (int, error)
	Close() error
}

// Interceptor stands between this package and an attribute that was opened; it returns what is used
// in its place. Tests use it to be the kernel: a plain file refuses nothing.
type Interceptor func(path string, f File) File

// descriptor is an attribute of the kernel. It calls the system directly: the kernel lets sysfs
// files be polled, so os.File would put them on the runtime's poller, and wait for ever on a driver
// that answers EAGAIN.
//
// Go's scheduler does not see the reads and writes. The kernel answers them in microseconds. If the
// scheduler saw them, its monitor thread would wake to check whether the call takes long, which
// costs more than the call.
type descriptor struct {
	file *os.File // keeps fd open
	fd   int
}

var errNotRegular = errors.New("not a regular file")

func openDescriptor(root *os.Root, path string, flag int) (*descriptor, error) {
	// O_NONBLOCK so that nothing that is no attribute can hold up the open.
	f, err := root.OpenFile(path, flag|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &descriptor{file: f, fd: int(f.Fd())}, nil
}

func (d *descriptor) Pread(p []byte, off int64) (int, error) {
	for {
		n, err := call(syscall.SYS_PREAD64, d.fd, p, off)
		if err != syscall.EINTR {
			return n, err
		}
	}
}

func (d *descriptor) Pwrite(p []byte, off int64) (int, error) {
	for {
		n, err := call(syscall.SYS_PWRITE64, d.fd, p, off)
		if err != syscall.EINTR {
			return n, err
		}
	}
}

// call calls pread or pwrite; the error is a syscall.Errno.
func call(number uintptr, fd int, p []byte, off int64) (int, error) {
	n, _, errno := syscall.RawSyscall6(number, uintptr(fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), uintptr(off), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

func (d *descriptor) Close() error { return d.file.Close() }
