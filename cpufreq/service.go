package cpufreq

import (
	"errors"
	"os"
)

// serviceFile is the lock of the machine's service, which it also has while it sets no clock.
const serviceFile = "service"

// ErrServing: another process is this machine's service. The error is a LockedError.
var ErrServing = errors.New("another ebb serve is running")

// LockService makes this process the one service of a run directory, until release or its end.
// Whether it sets clocks or not, other processes may.
func LockService(path string) (release func(), err error) {
	d, err := openRunDir(path, serviceFile, true)
	if err != nil {
		return nil, err
	}
	return d.release, nil
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
