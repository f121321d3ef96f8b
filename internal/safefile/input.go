package safefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

var (
	// errTooLong: the file is longer than any that was meant.
	errTooLong = errors.New("longer than any such file")
	// errSilent: the pipe has no writer, or one that writes nothing.
	errSilent = errors.New("nobody writes to this pipe")
	// errNotFile: what has the name cannot be read as a file.
	errNotFile = errors.New("not a file")
)

// patience is the time that a named pipe may say nothing. A shell's pipe has a writer, and ebb
// waits for it.
const patience = 5 * time.Second

const pipefs = 0x50495045 // the file system of pipes without a name (linux/magic.h)

// memoryDevices are those of major number 1 (mem) that are a stream of bytes: null, zero, full,
// random, urandom.
var memoryDevices = [...]uint32{3, 5, 7, 8, 9}

// streams reports whether a device of characters is a stream of bytes. Others, such as /dev/kmsg,
// deal in messages: they refuse a short read, or have no end and wait.
func streams(f *os.File, info fs.FileInfo) bool {
	if _, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS); err == nil {
		return true
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && unix.Major(s.Rdev) == 1 && slices.Contains(memoryDevices[:], unix.Minor(s.Rdev))
}

// Open opens a file, a pipe, a terminal or a device that is a stream of bytes. A disk is refused:
// it has no end that a reader could mean.
func Open(path string) (io.ReadCloser, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	wrong := func(err error) error {
		return errors.Join(&fs.PathError{Op: "read", Path: path, Err: err}, f.Close())
	}
	switch t := info.Mode().Type(); {
	case t == 0:
		return f, nil
	case t == fs.ModeDir:
		return nil, wrong(unix.EISDIR)
	case t == fs.ModeNamedPipe:
		return &pipe{f, limit(f)}, nil
	case t == fs.ModeDevice|fs.ModeCharDevice && streams(f, info):
		// Devices that know no waiting do not mind O_NONBLOCK; a terminal would say that it has
		// nothing yet.
		return f, waitingAgain(f)
	}
	return nil, wrong(errNotFile)
}

// ReadAll reads a file that has at most so many bytes.
func ReadAll(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	return all(f, path, most)
}

// ReadFile is ReadAll of a file on a disk: a pipe's writer could go on for ever, a byte at a time.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	if o, ok := f.(*os.File); ok {
		if info, err := o.Stat(); err == nil && info.Mode().IsRegular() {
			return all(f, path, most)
		}
	}
	return nil, errors.Join(&fs.PathError{Op: "read", Path: path, Err: errNotFile}, f.Close())
}

// all reads and closes an open file.
func all(f io.ReadCloser, path string, most int64) ([]byte, error) {
	defer f.Close() // opened for reading: nothing can be lost
	// Pieces, and not one text that grows: what has no end takes no more than the bound.
	var parts [][]byte
	for left := most + 1; left > 0; {
		part := make([]byte, min(left, piece))
		n, err := io.ReadFull(f, part)
		parts = append(parts, part[:n])
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return bytes.Join(parts, nil), nil
		case err != nil:
			return nil, err
		}
		left -= int64(n)
	}
	return nil, fmt.Errorf("%s: %w: more than %d bytes", path, errTooLong, most)
}

// piece is the number of bytes that ReadAll reads at a time.
const piece = 1 << 20

// limit returns the time that a pipe may say nothing; 0 for no limit.
func limit(f *os.File) time.Duration {
	var s unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &s) == nil && s.Type == pipefs {
		return 0
	}
	return patience
}

// waitingAgain takes O_NONBLOCK away.
func waitingAgain(f *os.File) error { return unix.SetNonblock(int(f.Fd()), false) }

// pipe reads a pipe, for whose writer it waits so long each time.
type pipe struct {
	f        *os.File
	patience time.Duration
}

func (p *pipe) Read(b []byte) (int, error) {
	end := time.Now().Add(p.patience)
	for {
		timeout := -1
		if p.patience > 0 {
			timeout = int(max(time.Until(end), 0) / time.Millisecond)
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(p.f.Fd()), Events: unix.POLLIN}}, timeout)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err == nil && n == 0 {
			err = errSilent
		}
		if err != nil {
			return 0, &fs.PathError{Op: "read", Path: p.f.Name(), Err: err}
		}
		m, err := unix.Read(int(p.f.Fd()), b)
		switch {
		case errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, &fs.PathError{Op: "read", Path: p.f.Name(), Err: err}
		case m == 0 && len(b) > 0:
			return 0, io.EOF
		}
		return m, nil
	}
}

func (p *pipe) Close() error { return p.f.Close() }
