package cpufreq

import (
	"errors"
	"os"
)

// serviceFile is the lock of the machine's service. The service has it also while it sets no clock.
const serviceFile = "service"

// ErrServing: another process is this machine's service. The error is a LockedError.
var ErrServing = errors.New("another ebb serve is running")

// LockService makes this process the one service of a run directory, until release or its end. The
// lock keeps no other process from setting clocks.
func LockService(path string) (release func(), err error) {
	d, err := openRunDir(path, serviceFile, true)
	if err != nil {
		return nil, err
	}
	return d.release, nil
}

// Governing returns the service of a run directory, where it holds the machine's frequencies; 0
// where none does, or where that cannot be seen, as by an ordinary user.
func Governing(dir string) (pid int) {
	root, err := openSafe(dir)
	if err != nil {
		return 0
	}
	defer root.Close()
	f, err := openRegular(root, serviceFile, os.O_RDONLY)
	if err != nil {
		return 0
	}
	defer f.Close()
	holds, err := holder(root)
	if err != nil || holds == 0 || holds != readPID(f) {
		return 0
	}
	return holds
}

// removeDead removes the file of a service that was killed.
func removeDead(root *os.Root) {
	f, err := openRegular(root, serviceFile, os.O_RDWR)
	if err != nil {
		return
	}
	defer f.Close() // nothing is written to it
	// A service that opens it meanwhile sees that it has gone, and tries again.
	if flockOfDead(f) == nil && locked(root, f, serviceFile) {
		_ = root.Remove(serviceFile)
	}
}
