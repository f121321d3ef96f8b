package safefile

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

var (
	// ErrNoReader: the pipe has no reader.
	ErrNoReader = errors.New("nobody reads this pipe")
	// errStalled: the pipe has a reader that takes nothing.
	errStalled = errors.New("nobody takes what is written")
)

const (
	patienceAfterRun = time.Minute
	patienceInRun    = 250 * time.Millisecond // the governor waits as long
	atomicBytes      = 4096                   // PIPE_BUF: poll(2) promises no more to a pipe
)

// stream is a device, a pipe or an inherited descriptor.
type stream struct {
	fd       int
	patience time.Duration
}

// openStream opens it without ever waiting for a reader, and without making or emptying a file.
func (p *place) openStream() (*stream, error) {
	fd, err := noFile, error(nil)
	if p.inherited != noFile {
		fd, err = unix.FcntlInt(uintptr(p.inherited), unix.F_DUPFD_CLOEXEC, 0)
	} else {
		const flags = unix.O_WRONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY |
			unix.O_CLOEXEC
		fd, err = open(p.dir, p.name, flags, 0)
	}
	if err != nil {
		if errors.Is(err, unix.ENXIO) {
			return nil, ErrNoReader
		}
		return nil, err
	}
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	if err == nil && p.inherited == noFile && st.Mode&unix.S_IFMT == unix.S_IFREG {
		err = unix.EEXIST // put there this moment: a file is not written as it is
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &stream{fd, patienceAfterRun}, nil
}

func (s *stream) Write(b []byte) (n int, err error) {
	for n < len(b) {
		if err := s.wait(); err != nil {
			return n, err
		}
		m, err := unix.Write(s.fd, b[n:min(len(b), n+atomicBytes)])
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
			continue
		}
		if err != nil {
			return n, err
		}
		n += m
	}
	return n, nil
}

// wait returns when something can be written. Files and other things that never wait always can.
func (s *stream) wait() error {
	end := time.Now().Add(s.patience)
	for {
		left := max(time.Until(end), 0)
		poll := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLOUT}}
		n, err := unix.Poll(poll, int((left+time.Millisecond-1)/time.Millisecond))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		if n == 0 {
			return fmt.Errorf("%w for %v", errStalled, s.patience)
		}
		return nil // or the next write says what is wrong
	}
}

func (s *stream) close() error { return unix.Close(s.fd) }
