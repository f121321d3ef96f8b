package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/proc"
	"github.com/ebb-energy/ebb/internal/linux/unixconn"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// The names by which the processes are started: the first argument of ebb's own binary.
const (
	ChildCommand  = "__sandbox"
	OpenerCommand = "__opener"
	// FrontCommand is a service's, which answers strangers (internal/app/serve/front).
	FrontCommand = "__front"
)

// process is the child or the opener, or another process of ebb's own binary.
type process struct {
	*os.Process
	conn     *unixconn.Conn
	progress *protocol.Progress // the child's; nil for the opener
	page     []byte
	stderr   *os.File // its last words, for lastWords
}

// start starts one of the processes from this process's own binary, with one end of a socket.
func start(command string, files ...*os.File) (_ *process, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("start %s: %w", strings.TrimLeft(command, "_"), err)
		}
	}()
	mine, theirs, err := unixconn.Pair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	p := &process{conn: mine}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	socket, err := theirs.File("socket")
	if err != nil {
		return nil, err
	}
	defer socket.Close()
	if p.stderr, err = memoryFile("last words"); err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	attr := &os.ProcAttr{
		Dir: "/",
		// No files of cgroups are held open, for Go to count CPUs by.
		Env:   []string{"GODEBUG=madvdontneed=1,containermaxprocs=0,updatemaxprocs=0"},
		Files: append([]*os.File{null, null, p.stderr, socket}, files...),
		Sys:   &unix.SysProcAttr{Setpgid: true},
	}
	p.Process, err = os.StartProcess("/proc/self/exe", []string{"ebb", command}, attr)
	if err != nil {
		return nil, err // without a process there is nothing to end
	}
	return p, nil
}

// startChild starts the child, with a page in which it says what it is at.
func startChild() (*process, error) {
	f, err := memoryFile("progress")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Truncate(int64(os.Getpagesize())); err != nil {
		return nil, err
	}
	// The child also has the file: a child that made it shorter would end this process at its next
	// read.
	const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return nil, fmt.Errorf("seal the sandbox's progress: %w", err)
	}
	page, err := unix.Mmap(int(f.Fd()), 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map the sandbox's progress: %w", err)
	}
	p, err := start(ChildCommand, f)
	if err != nil {
		return nil, errors.Join(err, unix.Munmap(page))
	}
	p.page, p.progress = page, (*protocol.Progress)(unsafe.Pointer(&page[0]))
	return p, nil
}

func memoryFile(name string) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("make a file in memory: %w", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// reapTime bounds the wait for a killed process's end. A process that waits for another user's file
// system does not end before that answers (fs/fuse/dev.c in the kernel).
const reapTime = 20 * time.Millisecond

// kill ends the process and says why it had ended, if it had. It does not take its status from the
// kernel: a thread with a higher priority than ordinary ones can wait there for as long as the
// process's last thread gets no CPU.
func (p *process) kill() (why string) {
	why = p.lastWords()
	if why == "" {
		why = exitStatus(p.Pid)
	}
	_ = p.Kill()    // it may have ended
	_ = p.Release() // its status is taken by its id
	p.close()
	return why
}

// exitStatus says how a process ended whose status nobody has taken.
func exitStatus(pid int) string {
	stat, err := proc.ReadStat(pid)
	switch {
	case err != nil || stat.State != 'Z':
		return "it was given up"
	case stat.Exit.Signaled():
		return "signal: " + stat.Exit.Signal().String()
	}
	return fmt.Sprintf("exit status %d", stat.Exit.ExitStatus())
}

// reap takes the status of killed processes, each within a while. Until then their ids are no
// others'.
func reap(pids []int) {
	const step = time.Millisecond
	for _, pid := range pids {
		for end := time.Now().Add(reapTime); ; time.Sleep(step) {
			n, err := unix.Wait4(pid, nil, unix.WNOHANG, nil)
			if n == pid || err == unix.ECHILD || time.Now().After(end) {
				break
			}
		}
	}
}

// lastWords returns the reason that Go's runtime gave for ending the process, by its first line.
func (p *process) lastWords() string {
	var b [256]byte
	n, _ := p.stderr.ReadAt(b[:], 0) // less at its end
	line, _, _ := strings.Cut(string(b[:n]), "\n")
	for _, known := range []string{
		"out of memory", "stack overflow", "cannot allocate memory", "stack exceeds",
	} {
		if strings.Contains(line, known) {
			return known
		}
	}
	switch {
	case strings.HasPrefix(line, "panic:"), strings.HasPrefix(line, "fatal error:"):
		return "it failed"
	case strings.HasPrefix(line, "ebb:"):
		return fmt.Sprintf("%q", line)
	}
	return ""
}

func (p *process) close() {
	_ = p.conn.Close()
	if p.stderr != nil {
		_ = p.stderr.Close() // it was only read
	}
	if p.page != nil {
		p.progress = nil
		_ = unix.Munmap(p.page) // nothing reads the page any more
		p.page = nil
	}
}
