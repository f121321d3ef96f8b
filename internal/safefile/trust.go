package safefile

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// trusted reports whether links and files of a user are taken for what the caller wants: root's,
// ebb's own user's, and those of the user who called sudo.
func trusted(uid uint32) bool {
	if uid == 0 || int(uid) == os.Geteuid() {
		return true
	}
	who, ok := caller("SUDO_UID")
	return ok && who == uid
}

// caller is the number that sudo gives for the user or the group of its caller in a variable; false
// where ebb is not root, or sudo did not start it.
func caller(variable string) (uint32, bool) {
	if os.Geteuid() != 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(os.Getenv(variable), 10, 32)
	return uint32(n), err == nil && n < 1<<32-1 // chown(2) takes that for "unchanged"
}

// give makes a new file the caller's where the directory is: ebb as root would otherwise leave
// files at home that their user cannot change.
func give(dir, file int) error {
	uid, called := caller("SUDO_UID")
	gid, grouped := caller("SUDO_GID")
	var d unix.Stat_t
	if !called || !grouped || uid == 0 {
		return nil
	}
	if err := unix.Fstat(dir, &d); err != nil || d.Uid != uid {
		return err
	}
	if d.Mode&unix.S_ISGID != 0 {
		gid = d.Gid
	}
	if err := unix.Fchown(file, int(uid), int(gid)); !errors.Is(err, unix.EPERM) {
		return err
	}
	return nil // a file system without owners
}

// giveDirectory makes a directory that was made this moment the caller's, as give does. The way to
// it is no link, and a directory has no second name.
func giveDirectory(dir int, name string) error {
	fd, err := open(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || int(st.Uid) != os.Geteuid() {
		return err // another one has its place
	}
	return give(dir, fd)
}

// othersCanWrite reports whether users who are not trusted can make names in a directory.
func othersCanWrite(dir *unix.Stat_t) bool { return !trusted(dir.Uid) || dir.Mode&0o022 != 0 }

// othersCanRename reports whether users who are not trusted can take away names that they did not
// make.
func othersCanRename(dir *unix.Stat_t) bool {
	return !trusted(dir.Uid) || dir.Mode&0o022 != 0 && dir.Mode&unix.S_ISVTX == 0
}

// rootsOwn returns an error for a part of a path that another user than root and ebb's own can
// replace: a link of another's, or a directory that is another's or in which others can rename.
func rootsOwn(part *unix.Stat_t, path string) error {
	switch {
	case part.Uid != 0 && int(part.Uid) != os.Geteuid():
		return fmt.Errorf("%s is another user's", path)
	case part.Mode&unix.S_IFMT == unix.S_IFDIR && part.Mode&0o022 != 0 &&
		part.Mode&unix.S_ISVTX == 0:
		return fmt.Errorf("%s may be written by others", path)
	}
	return nil
}

// othersDirectory reports whether a directory is another user's, or everybody's without the bit
// that lets everybody keep the own names.
func othersDirectory(dir *unix.Stat_t) bool {
	return !trusted(dir.Uid) || dir.Mode&(0o002|unix.S_ISVTX) == 0o002
}

// leads reports whether a symbolic link is followed. A trusted user's with a second name may be
// another user's hard link to it, and one in a directory of another user's may have come there with
// a directory that user moved or as such a link, whose first name is gone. Only root has to
// distrust the way to a directory: for everybody else it is as with fs.protected_symlinks
// (Documentation/admin-guide/sysctl/fs.rst), because the kernel sees no link being followed and
// cannot refuse.
func leads(dir, link *unix.Stat_t, last bool) bool {
	if trusted(link.Uid) && !othersDirectory(dir) && (link.Nlink <= 1 || !othersCanWrite(dir)) {
		return true
	}
	if os.Geteuid() == 0 || last {
		return false
	}
	const shared = unix.S_ISVTX | 0o002
	return dir.Mode&shared != shared || link.Uid == dir.Uid
}
