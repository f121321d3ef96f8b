package opener

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rights are the user and the groups by which the kernel judges a process's use of files.
type rights struct {
	user, group uint32
	groups      []uint32
	// mixed reports whether some of its ids differ. A program that was installed for its user to
	// have another one's rights (set-user-ID) is such a process, and its user chooses what it
	// finds.
	mixed bool
}

// everybodys are the rights of a user who owns no file.
var everybodys = rights{user: nobody, group: nobody}

// nobody is the user and the group that have no files.
const nobody = 65534

func (r rights) equal(o rights) bool {
	return r.user == o.user && r.group == o.group && r.mixed == o.mixed &&
		slices.Equal(r.groups, o.groups)
}

// own returns the rights of this process.
func own() (rights, error) {
	list, err := os.Getgroups()
	r := rights{user: uint32(os.Geteuid()), group: uint32(os.Getegid())}
	for _, g := range list {
		r.groups = append(r.groups, uint32(g))
	}
	slices.Sort(r.groups)
	return r, err
}

// status holds what /proc/PID/status says of a process.
type status struct {
	rights  rights
	inner   int  // its id in its own PID namespace; 0 where that is not known
	catches bool // it catches SIGQUIT
}

// maxStatus bounds the text, in bytes: it names up to 65,536 groups with ten digits each.
const maxStatus = 1 << 20

// status reads what the kernel says of the process.
func (img *image) status() (s status, err error) {
	f, err := img.inProc("status")
	if err != nil {
		return s, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxStatus))
	if err != nil {
		return s, err
	}
	if len(text) == maxStatus {
		return s, errors.New("read the process's status: it is too long")
	}
	return parseStatus(string(text))
}

// parseStatus reads /proc/PID/status. A process without a user or a group of its own is an error.
func parseStatus(text string) (s status, err error) {
	var users, groups []uint32
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		var failed error
		switch key {
		case "Uid":
			users, failed = numbers(fields)
		case "Gid":
			groups, failed = numbers(fields)
		case "Groups":
			s.rights.groups, failed = numbers(fields)
		case "NSpid":
			if len(fields) > 0 {
				s.inner, failed = strconv.Atoi(fields[len(fields)-1])
			}
		case "SigCgt":
			if len(fields) > 0 {
				mask, e := strconv.ParseUint(fields[0], 16, 64)
				s.catches = e == nil && mask&(1<<(syscall.SIGQUIT-1)) != 0
			}
		}
		if failed != nil {
			return status{}, fmt.Errorf("read the process's status: %w", failed)
		}
	}
	const real, filesystem, all = 0, 3, 4 // each line's order (proc_pid_status(5))
	if len(users) != all || len(groups) != all {
		return status{}, errors.New("read the process's status: it names no user or no group")
	}
	r := &s.rights
	slices.Sort(r.groups)
	r.user, r.group = users[filesystem], groups[filesystem]
	for i := real; i < all; i++ {
		r.mixed = r.mixed || users[i] != r.user || groups[i] != r.group
	}
	s.inner = max(s.inner, 0)
	return s, nil
}

func numbers(fields []string) (out []uint32, err error) {
	for _, f := range fields {
		n, err := strconv.ParseUint(f, 10, 32)
		if err != nil {
			return nil, err
		}
		out = append(out, uint32(n))
	}
	return out, nil
}

// manner says who sees the rights that a thread takes.
type manner bool

const (
	forFiles manner = false // only the kernel's checks of files see them
	// whoever takes a connection sees them as well (SO_PEERCRED)
	forPeers manner = true
)

// do calls f on a thread that has these rights and no capabilities. The thread then ends: nothing
// else runs with them, and nothing takes them back.
func (r rights) do(how manner, f func() error) (err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the runtime ends a locked goroutine's thread with it
		if unix.Gettid() == unix.Getpid() {
			err = r.do(how, f) // the runtime ends every thread but this: another takes the rights
			runtime.UnlockOSThread()
			return
		}
		if err = r.take(how); err == nil {
			err = f()
		}
	}()
	<-done
	return err
}

// take gives the calling thread these rights. The standard library would give them to all threads.
// Where ebb's user is not root and may not become another, the thread keeps that user's rights:
// what it finds then, that user may read.
func (r rights) take(how manner) error {
	now, err := own()
	if err != nil {
		return fmt.Errorf("find out this process's rights: %w", err)
	}
	r.mixed = false
	if !r.equal(now) {
		err = r.become(how)
	}
	if errors.Is(err, unix.EPERM) && now.user != 0 {
		err = nil
	}
	if err == nil {
		err = dropAll()
	}
	if err != nil {
		return fmt.Errorf("take the rights of user %d for files: %w", r.user, err)
	}
	return nil
}

func (r rights) become(how manner) error {
	groups := unsafe.Pointer(unsafe.SliceData(r.groups))
	user, group := uintptr(r.user), uintptr(r.group)
	const keep = ^uintptr(0)
	if _, _, e := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(r.groups)), uintptr(groups),
		0); e != 0 {
		return e
	}
	runtime.KeepAlive(r.groups)
	if how == forPeers {
		if _, _, e := unix.RawSyscall(unix.SYS_SETRESGID, keep, group, keep); e != 0 {
			return e
		}
		if _, _, e := unix.RawSyscall(unix.SYS_SETRESUID, keep, user, keep); e != 0 {
			return e
		}
	} else { // they return what was, and no error
		_, _, _ = unix.RawSyscall(unix.SYS_SETFSGID, group, 0, 0)
		_, _, _ = unix.RawSyscall(unix.SYS_SETFSUID, user, 0, 0)
	}
	// -1 changes nothing
	g, _, _ := unix.RawSyscall(unix.SYS_SETFSGID, keep, 0, 0)
	u, _, _ := unix.RawSyscall(unix.SYS_SETFSUID, keep, 0, 0)
	if uint32(g) != r.group || uint32(u) != r.user {
		return unix.EPERM
	}
	return nil
}

// dropAll takes all capabilities from the calling thread.
func dropAll() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}

// attempts bounds how often a path is looked up again that was renamed meanwhile.
const attempts = 8

// openBelow opens a path below a directory as if that were the root. It follows links on the way
// inside that root, those of /proc never. It follows a link at the end unless flags have
// O_NOFOLLOW; with O_PATH and O_NOFOLLOW it opens the link itself, which is neither a regular file
// nor a socket.
func openBelow(dir int, path string, flags uint64, mode uint64) (fd int, err error) {
	how := unix.OpenHow{Flags: flags | unix.O_CLOEXEC, Mode: mode,
		Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS}
	for range attempts {
		fd, err = unix.Openat2(dir, path, &how)
		if err != unix.EAGAIN && err != unix.EINTR {
			break
		}
	}
	if err == unix.ENOSYS {
		return -1, fmt.Errorf("open %s below a process's root: %w", path, errors.ErrUnsupported)
	}
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}
