package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// ScribeCommand is the first argument of ebb's own binary that starts the process.
const ScribeCommand = "__scribe"

const (
	pipeBytes = 1 << 20         // size of the pipe to the process
	endTime   = 2 * time.Second // most time that Close waits until the pipe is written
)

// Scribe writes to a file, a pipe or a terminal in a process of its own. A write there may wait:
// for a disk, for a reader, for a key. A run that decides must not wait, so it hands its lines to a
// pipe that it never waits for. A line for which there is no room is dropped and counted. The
// process interprets nothing. A Scribe is for one goroutine.
type Scribe struct {
	process *os.Process
	pipe    int    // -1 once it is closed
	rest    []byte // rest of a line that was begun
	dropped uint64
	words   *os.File // last words of the process
}

// StartScribe starts the process, which writes to the file to. The file stays the caller's.
func StartScribe(to *os.File) (_ *Scribe, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("start the process that writes %s: %w", to.Name(), err)
		}
	}()
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(p[0]), "pipe")
	defer theirs.Close()
	s := &Scribe{pipe: p[1]}
	fail := func(err error) (*Scribe, error) { return nil, errors.Join(err, s.release()) }
	// Where a user's pipes have less room, more lines are dropped.
	_, _ = unix.FcntlInt(uintptr(s.pipe), unix.F_SETPIPE_SZ, pipeBytes)
	if err := unix.SetNonblock(s.pipe, true); err != nil {
		return fail(err)
	}
	fd, err := unix.MemfdCreate("last words", unix.MFD_CLOEXEC)
	if err != nil {
		return fail(err)
	}
	s.words = os.NewFile(uintptr(fd), "last words")
	s.process, err = os.StartProcess("/proc/self/exe", []string{"ebb", ScribeCommand}, &os.ProcAttr{
		Dir: "/", Files: []*os.File{theirs, to, s.words},
		Env: []string{"GOMAXPROCS=1"}, Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		return fail(err)
	}
	return s, nil
}

// Offer writes a line, and reports whether there was room for it. It never waits.
func (s *Scribe) Offer(line []byte) bool {
	if s.pipe < 0 || !s.push() {
		s.dropped++
		return false
	}
	s.rest = append(s.rest, line...)
	s.push()
	return true
}

// push writes what is left of a line, and reports whether nothing is left.
func (s *Scribe) push() bool {
	for len(s.rest) > 0 {
		n, err := unix.Write(s.pipe, s.rest)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return false
		}
		s.rest = s.rest[n:]
	}
	s.rest = nil
	return true
}

// Dropped returns the number of lines for which there was no room.
func (s *Scribe) Dropped() uint64 { return s.dropped }

// Close waits a while until the remaining lines are written, and ends the process. The error says
// what could not be written. A second Close does nothing.
func (s *Scribe) Close() (err error) {
	if s.pipe < 0 {
		return nil
	}
	end := time.Now().Add(endTime)
	for len(s.rest) > 0 && !s.push() && time.Now().Before(end) && s.lives() {
		time.Sleep(time.Millisecond)
	}
	unix.Close(s.pipe)
	s.pipe = -1
	ended := make(chan *os.ProcessState, 1)
	go func() {
		state, _ := proc.Wait(s.process)
		ended <- state
	}()
	select {
	case state := <-ended:
		if state == nil || !state.Success() {
			err = errors.New(s.lastWords())
		}
	case <-time.After(time.Until(end)):
		_ = s.process.Kill()
		err = errors.New("nobody takes what is written")
	}
	return errors.Join(err, s.release())
}

// lives reports whether the process still reads.
func (s *Scribe) lives() bool {
	poll := []unix.PollFd{{Fd: int32(s.pipe), Events: unix.POLLOUT}}
	_, err := unix.Poll(poll, 0)
	return err != nil || poll[0].Revents&unix.POLLERR == 0
}

func (s *Scribe) lastWords() string {
	var b [256]byte
	n, _ := s.words.ReadAt(b[:], 0) // an error at the file's end only means fewer bytes
	line, _, _ := strings.Cut(string(b[:n]), "\n")
	if line = strings.TrimPrefix(line, "ebb: "); line == "" {
		return "the process that writes it was ended"
	}
	return line
}

// release closes everything that StartScribe opened.
func (s *Scribe) release() (err error) {
	if s.pipe >= 0 {
		err = unix.Close(s.pipe)
		s.pipe = -1
	}
	if s.words != nil {
		err = errors.Join(err, s.words.Close())
		s.words = nil
	}
	return err
}

// orphanTime bounds the wait of a process whose parent has gone.
const orphanTime = 5 * time.Second

// ServeScribe runs the process: it copies standard input to standard output.
func ServeScribe() error {
	buf := make([]byte, 1<<16)
	for {
		n, err := os.Stdin.Read(buf)
		if n > 0 {
			if err := put(buf[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// put writes all of b, however long that takes, as long as there is a parent.
func put(b []byte) error {
	const most = 4096 // a pipe that is ready takes as much at once (poll(2), PIPE_BUF)
	var since time.Time
	for len(b) > 0 {
		poll := []unix.PollFd{{Fd: 1, Events: unix.POLLOUT}, {Fd: 0}}
		n, err := unix.Poll(poll, int(time.Second/time.Millisecond))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		if n == 0 || poll[0].Revents == 0 {
			if poll[1].Revents&unix.POLLHUP == 0 {
				since = time.Time{}
				continue
			}
			if since.IsZero() {
				since = time.Now()
			}
			if time.Since(since) > orphanTime {
				return errors.New("nobody takes what is written")
			}
			time.Sleep(100 * time.Millisecond)
			continue
		}
		m, err := unix.Write(1, b[:min(len(b), most)])
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
			continue
		}
		if err != nil {
			return err
		}
		b, since = b[m:], time.Time{}
	}
	return nil
}
