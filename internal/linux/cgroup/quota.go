package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Errors of NewQuota. They come wrapped.
var (
	// ErrNoController says that the hierarchy of version 2 does not limit CPU time on this machine.
	ErrNoController = errors.New("cgroups of version 2 have no cpu controller here")
	// ErrNotGiven says that the machine has a cpu controller, and does not give it to cgroups.
	ErrNotGiven = errors.New("the root cgroup gives its children no cpu controller")
	// ErrInUse says that another ebb that runs has made the cgroup.
	ErrInUse = errors.New("another ebb uses the cgroup")
)

// name is the name of the quota's cgroup, below the root. Ebb takes over what a killed ebb left
// there.
const name = "ebb-qualify"

// Quota is a cgroup with a limit of CPU time.
type Quota struct {
	dir  string
	lock *os.File // the directory, locked for as long as this process uses it; nil: there is none
}

// NewQuota makes a cgroup whose members get so much of a CPU in each period.
func NewQuota(quota, period time.Duration) (*Quota, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	return below(root, quota, period)
}

func below(root string, quota, period time.Duration) (*Quota, error) {
	for _, need := range []struct {
		file string
		none error
	}{{"cgroup.controllers", ErrNoController}, {"cgroup.subtree_control", ErrNotGiven}} {
		text, err := os.ReadFile(filepath.Join(root, need.file))
		if err != nil {
			return nil, fmt.Errorf("look for the cpu controller: %w", err)
		}
		if !slices.Contains(strings.Fields(string(text)), "cpu") {
			return nil, fmt.Errorf("%w: %s has %q", need.none, filepath.Join(root, need.file),
				strings.TrimSpace(string(text)))
		}
	}
	g := &Quota{dir: filepath.Join(root, name)}
	if err := vacate(g.dir); err != nil {
		return nil, fmt.Errorf("remove the cgroup that an earlier ebb left: %s: %w", g.dir, err)
	}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return nil, fmt.Errorf("make a cgroup: %w", err)
	}
	g.lock, _ = locked(g.dir) // another ebb finds it empty, and in use
	limit := fmt.Sprintf("%d %d", quota.Microseconds(), period.Microseconds())
	if err := put(filepath.Join(g.dir, "cpu.max"), limit); err != nil {
		return nil, errors.Join(fmt.Errorf("limit a cgroup's CPU time: %w", err), g.Close())
	}
	return g, nil
}

// vacate removes a cgroup if it is there, empty, and not in use by another ebb. An absent one is no
// error.
func vacate(dir string) error {
	lock, err := locked(dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := unix.Rmdir(dir); err != nil && !errors.Is(err, unix.ENOENT) {
		return err
	}
	return nil
}

// locked locks a directory until the file is closed; nil where it has none or cannot be locked. The
// error is ErrInUse.
func locked(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, nil
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return f, nil
	}
	_ = f.Close() // nothing was read
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, ErrInUse
	}
	return nil, nil
}

// Directory returns the cgroup's directory, for Join.
func (q *Quota) Directory() string { return q.dir }

// Join moves the calling process into the cgroup that has this directory.
func Join(dir string) error {
	if err := put(filepath.Join(dir, "cgroup.procs"), "0"); err != nil {
		return fmt.Errorf("join a cgroup: %w", err)
	}
	return nil
}

// Throttled returns the time for which the limit has held the members back, by the kernel's
// account.
func (q *Quota) Throttled() (time.Duration, error) {
	text, err := os.ReadFile(filepath.Join(q.dir, "cpu.stat"))
	if err != nil {
		return 0, fmt.Errorf("read a cgroup's account: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if us, ok := strings.CutPrefix(line, "throttled_usec "); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(us), 10, 64)
			if err != nil {
				return 0, fmt.Errorf("read a cgroup's account: %w", err)
			}
			return time.Duration(n) * time.Microsecond, nil
		}
	}
	return 0, fmt.Errorf("read a cgroup's account: %s has no throttled_usec", q.dir)
}

// Bounds of Close's wait until the members have ended.
const (
	tries    = 200
	betweens = 10 * time.Millisecond
)

// Close kills what is in the cgroup, and removes it.
func (q *Quota) Close() error {
	defer q.lock.Close()                              // nothing was read
	_ = put(filepath.Join(q.dir, "cgroup.kill"), "1") // kernels before 5.14 have none
	var err error
	for range tries {
		if err = unix.Rmdir(q.dir); err == nil || !errors.Is(err, unix.EBUSY) {
			break
		}
		time.Sleep(betweens)
	}
	if err != nil {
		return fmt.Errorf("remove a cgroup: %s: %w", q.dir, err)
	}
	return nil
}

// put writes a value to an attribute that is there.
func put(path, value string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}
