package cpufreq

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Leftover is what lies in a run directory.
type Leftover struct {
	// Running is the process that holds the machine's frequencies; 0 for none.
	Running int
	// Killed is the process that died without putting them back; 0 for none. Restore does that.
	Killed int
}

// Look says what lies in the run directory dir, and changes nothing. An error wraps
// fs.ErrPermission where only root may look.
func Look(dir string) (Leftover, error) {
	var l Leftover
	root, err := openSafe(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, err
	}
	defer root.Close()
	if l.Running, err = holder(root); err != nil || l.Running != 0 {
		return l, err
	}
	d := &runDir{path: dir, root: root}
	s, err := d.load()
	if err == nil && s != nil && s.BootID == bootID() {
		l.Killed = s.PID
	}
	return l, err
}

// holder is the process that has the lock; 0 for none. A shared lock is enough to find out, and is
// given up at once.
func holder(root *os.Root) (int, error) {
	f, err := root.Open(lockFile)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look at the lock: %w", err)
	}
	defer f.Close()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return max(readPID(f), 1), nil
	}
	return 0, err
}
