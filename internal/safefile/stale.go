package safefile

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// mostTemporary bounds the temporary files that are checked.
const mostTemporary = 1 << 14

// removeStale removes the pipes of this user's processes that were killed before they could: those
// that nobody has open to read. An error leaves them where they are.
func removeStale(path string) {
	dir, err := openDirectory(path, false)
	if err != nil {
		return
	}
	defer unix.Close(dir)
	var st unix.Stat_t
	if unix.Fstat(dir, &st) != nil || othersCanRename(&st) {
		return
	}
	for _, name := range namesIn(dir, mostTemporary) {
		if strings.HasPrefix(name, pipeDirectory) && emptied(dir, name) {
			// Nobody else can put another directory in its place.
			_ = unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
		}
	}
}

// emptied removes the pipe from a directory that is this user's, if nobody reads it, and reports
// whether it did. A directory that is being made has another mode. Another file system that a user
// has mounted there is not entered: whoever serves it could keep ebb waiting.
func emptied(dir int, name string) bool {
	at, err := unix.Openat2(dir, name, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_XDEV | unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return false
	}
	defer unix.Close(at)
	var st unix.Stat_t
	if unix.Fstat(at, &st) != nil || int(st.Uid) != os.Geteuid() || st.Mode&0o777 != pipeMode {
		return false
	}
	fd, err := open(at, pipeName, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		_ = unix.Close(fd) // nothing was written
	}
	return errors.Is(err, unix.ENXIO) && unix.Unlinkat(at, pipeName, 0) == nil
}

// namesIn are at most so many names in a directory.
func namesIn(dir, most int) []string {
	fd, err := open(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "directory")
	defer f.Close()
	names, _ := f.Readdirnames(most) // those that could be read
	return names
}
