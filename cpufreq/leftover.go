package cpufreq

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Leftover is the state that an earlier run left in a run directory.
type Leftover struct {
	// Running is the process that holds the machine's frequencies; 0 for none.
	Running int
	// Killed is the process that died without putting them back; 0 for none. Restore puts them
	// back.
	Killed int
}

// Look reports what is left in the run directory dir, and changes nothing. The error wraps
// fs.ErrPermission where only root may read it.
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
	if err == nil && s != nil && !s.ofAnotherBoot() {
		l.Killed = s.PID
	}
	return l, err
}

// holder returns the process that has the lock; 0 for none. It takes a shared lock to find out, and
// releases it at once.
func holder(root *os.Root) (int, error) {
	f, err := openRegular(root, lockFile, os.O_RDONLY)
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
