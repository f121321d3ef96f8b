package attribution

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ErrNoJVM: the process is no Java machine that answers to being attached to.
var ErrNoJVM = errors.New("not a Java machine that can be attached to")

// ErrEnded: the process ended while it was asked.
var ErrEnded = errors.New("it has ended")

// attachPatience is how long a Java machine may take to answer.
const attachPatience = 5 * time.Second

// WritePerfMap asks a running HotSpot (JDK 17 or newer) to write down where its compiled code lies, as jcmd PID
// Compiler.perfmap does. Its protocol: a file .attach_pidN and a SIGQUIT make it listen on the socket .java_pidN, which
// takes a command and its arguments, each ended by a zero byte.
//
// A process that does not catch SIGQUIT would be ended by it; ErrNoJVM is returned and nothing sent.
func WritePerfMap(pid int) error {
	fail := func(err error) error { return fmt.Errorf("ask process %d for its compiled code: %w", pid, err) }
	inner, err := innerPID(pid)
	if err != nil {
		return fail(err)
	}
	tmp, err := temporary(fmt.Sprintf("/proc/%d/root", pid))
	if err != nil {
		return fail(err)
	}
	defer tmp.Close()
	socket := fmt.Sprintf(".java_pid%d", inner)
	if !listens(tmp, socket) {
		if err := wakeAttach(pid, inner, tmp, socket); err != nil {
			return fail(err)
		}
	}
	c, err := dial(tmp, socket)
	if err != nil {
		return fail(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(attachPatience)); err != nil {
		return fail(err)
	}
	if _, err := io.WriteString(c, "1\x00jcmd\x00Compiler.perfmap\x00\x00\x00"); err != nil {
		return fail(err)
	}
	answer, err := io.ReadAll(io.LimitReader(c, 4096))
	if err != nil {
		return fail(err)
	}
	if len(answer) == 0 {
		return fail(ErrEnded)
	}
	if first, rest, _ := strings.Cut(string(answer), "\n"); first != "0" {
		return fail(fmt.Errorf("it answered %.40q %.200q", first, strings.TrimSpace(rest)))
	}
	return nil
}

// temporary is the directory /tmp below a process's root. Whoever made that root made what is in it: a link that leads out of
// it, as the kernel would follow an absolute one, is refused.
func temporary(dir string) (*os.Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenRoot("tmp")
}

// listens says whether a file is a socket, and no link to one.
func listens(tmp *os.Root, name string) bool {
	info, err := tmp.Lstat(name)
	return err == nil && info.Mode().Type() == os.ModeSocket
}

// dial connects to a socket by the directory that was opened, wherever that is by now.
func dial(tmp *os.Root, name string) (net.Conn, error) {
	dir, err := tmp.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return net.DialTimeout("unix", fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), name), attachPatience)
}

// wakeAttach makes the machine listen.
func wakeAttach(pid, inner int, tmp *os.Root, socket string) error {
	file := fmt.Sprintf(".attach_pid%d", inner)
	f, err := tmp.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err == nil {
		defer tmp.Remove(file)
		// It answers to its own user's files only.
		if info, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err == nil {
			if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
				err = f.Chown(int(stat.Uid), int(stat.Gid))
			}
			if err != nil {
				return errors.Join(err, f.Close())
			}
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		return err
	}
	for end := time.Now().Add(attachPatience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if listens(tmp, socket) {
			return nil
		}
		if syscall.Kill(pid, 0) != nil {
			return ErrEnded
		}
	}
	return errors.New("it does not answer")
}

// innerPID is the process's id as it sees it itself. ErrNoJVM when it has no libjvm.so or does not catch SIGQUIT.
func innerPID(pid int) (int, error) {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return 0, err
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	if !strings.Contains(string(maps), "/libjvm.so") {
		return 0, ErrNoJVM
	}
	return parseStatus(string(status))
}

// parseStatus reads /proc/PID/status: the innermost id, and whether SIGQUIT is caught.
func parseStatus(status string) (inner int, err error) {
	catches := false
	for line := range strings.Lines(status) {
		key, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		if len(fields) == 0 {
			continue
		}
		switch key {
		case "NSpid":
			inner, err = strconv.Atoi(fields[len(fields)-1])
		case "SigCgt":
			mask, e := strconv.ParseUint(fields[0], 16, 64)
			catches = e == nil && mask&(1<<(syscall.SIGQUIT-1)) != 0
		}
	}
	if err != nil || inner <= 0 || !catches {
		return 0, ErrNoJVM
	}
	return inner, nil
}
