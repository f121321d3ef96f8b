package cpufreq

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// ErrLocked: another process sets this machine's frequencies. The error is a LockedError.
var ErrLocked = errors.New("another governor is running")

// LockedError names the process that has the lock; PID is 0 when it has not written it yet.
type LockedError struct {
	PID  int
	lock string // name of the lock's file
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return e.Unwrap().Error()
	}
	return fmt.Sprintf("%v (pid %d)", e.Unwrap(), e.PID)
}

// Unwrap returns ErrLocked, or ErrServing.
func (e *LockedError) Unwrap() error {
	if e.lock == serviceFile {
		return ErrServing
	}
	return ErrLocked
}

var errLockGone = errors.New("the lock was given up while it was taken")

const (
	// guardTries and guardPause bound the wait for the guard of a process that has died: it puts
	// back what its process left, and then releases the lock.
	guardTries = 400
	guardPause = 5 * time.Millisecond
)

// acquire takes the lock of a name: flock(2), which the kernel releases when the process and its
// guard have died in whatever way.
func acquire(root *os.Root, name string) (*os.File, error) {
	f, made, err := openLock(root, name)
	if err != nil {
		return nil, err
	}
	if err = flockOfDead(f); err != nil {
		defer f.Close()
		if made && readPID(f) == 0 && !errors.Is(err, syscall.EWOULDBLOCK) &&
			locked(root, f, name) {
			_ = root.Remove(name) // there are no locks here
		}
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, &LockedError{PID: readPID(f), lock: name}
		}
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := own(root, f, name); err != nil {
		if locked(root, f, name) {
			_ = root.Remove(name)
		}
		f.Close()
		return nil, err
	}
	return f, nil
}

// openLock opens a lock's file, which it makes where there is none.
func openLock(root *os.Root, name string) (f *os.File, made bool, err error) {
	f, err = openRegular(root, name, os.O_RDWR)
	if made = errors.Is(err, fs.ErrNotExist); made {
		f, err = openRegular(root, name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil, false, errLockGone // it was made, and may be given up, meanwhile
	}
	if err != nil {
		return nil, false, fmt.Errorf("lock: %w", err)
	}
	return f, made, nil
}

// flockOfDead waits for a lock whose process has died: its guard, or the kernel, still has it.
func flockOfDead(f *os.File) error {
	err := flock(f)
	for try := 0; errors.Is(err, syscall.EWOULDBLOCK) && try < guardTries &&
		dead(readPID(f)); try++ {
		time.Sleep(guardPause)
		err = flock(f)
	}
	return err
}

// own checks that the locked file is still the one with the name, and signs it. On a full disk it
// stays unsigned, so that controls can be put back there.
func own(root *os.Root, f *os.File, name string) error {
	if !locked(root, f, name) {
		return errLockGone
	}
	if err := f.Truncate(0); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	_, err := f.WriteAt(fmt.Appendf(nil, "%d %d\n", os.Getpid(), namespace()), 0)
	if err != nil && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("lock: %w", err)
	}
	return nil
}

// locked reports whether the open file still is the one with the lock's name.
func locked(root *os.Root, f *os.File, name string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := root.Stat(name)
	return err == nil && os.SameFile(mine, named)
}

func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR {
			return err
		}
	}
}

// dead reports whether a process has ended, as a zombie has, or is about to.
func dead(pid int) bool {
	if pid == 0 {
		return false // it has not signed yet
	}
	stat, err := proc.ReadStat(pid)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return stat.Ended() || stat.Exiting
}

// readPID returns the process that has signed a lock; 0 when none has, or one in another PID
// namespace has, such as a container's: its number names another process here.
func readPID(f *os.File) int {
	var buf [40]byte
	n, _ := f.ReadAt(buf[:], 0)
	number, in, signed := strings.Cut(strings.TrimSuffix(string(buf[:n]), "\n"), " ")
	pid, err := strconv.Atoi(number)
	if err != nil || pid < 0 || signed && in != strconv.FormatUint(namespace(), 10) {
		return 0
	}
	return pid
}

// namespace returns the number of this process's PID namespace; 0 where the kernel does not say.
func namespace() uint64 {
	var st syscall.Stat_t
	if err := syscall.Stat("/proc/self/ns/pid", &st); err != nil {
		return 0
	}
	return st.Ino
}

// await returns when nobody has the lock, or there is none.
func await(dir string) error {
	root, err := openSafe(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := openRegular(root, lockFile, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at the lock: %w", err)
	}
	defer f.Close()
	for {
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH); err != syscall.EINTR {
			return err
		}
	}
}
