package output

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// trusted reports whether links and files of a user are taken for what the caller wants: root's,
// ebb's own user's, and those of the user who called sudo.
func trusted(uid uint32) bool {
	self := os.Geteuid()
	if uid == 0 || int(uid) == self {
		return true
	}
	if self != 0 {
		return false
	}
	caller, err := strconv.ParseUint(os.Getenv("SUDO_UID"), 10, 32)
	return err == nil && uint32(caller) == uid
}

// othersCanWrite reports whether users who are not trusted can make names in a directory.
func othersCanWrite(dir *unix.Stat_t) bool { return !trusted(dir.Uid) || dir.Mode&0o022 != 0 }

// othersCanRename reports whether users who are not trusted can take away names that they did not
// make.
func othersCanRename(dir *unix.Stat_t) bool {
	return !trusted(dir.Uid) || dir.Mode&0o022 != 0 && dir.Mode&unix.S_ISVTX == 0
}

// leads reports whether a symbolic link is followed. A trusted user's with a second name may be
// another user's hard link to it. Only root has to distrust the way to a directory: for everybody
// else it is as with fs.protected_symlinks (Documentation/admin-guide/sysctl/fs.rst), because the
// kernel sees no link being followed and cannot refuse.
func leads(dir, link *unix.Stat_t, last bool) bool {
	if trusted(link.Uid) && (link.Nlink <= 1 || !othersCanWrite(dir)) {
		return true
	}
	if os.Geteuid() == 0 || last {
		return false
	}
	const shared = unix.S_ISVTX | 0o002
	return dir.Mode&shared != shared || link.Uid == dir.Uid
}
