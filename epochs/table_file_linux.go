package epochs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// From Linux's fcntl.h, which package syscall does not have: O_TMPFILE is a bit of its own together with O_DIRECTORY.
const (
	oTmpfile        = 0o20000000 | syscall.O_DIRECTORY
	atFDCWD         = -100
	atSymlinkFollow = 0x400
)

// openNameless opens a file without a name in dir. Its error is errors.ErrUnsupported where the file system or the kernel
// has no such files (open(2): EOPNOTSUPP, EISDIR).
func openNameless(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDWR|oTmpfile, 0o644)
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.EISDIR) {
		return nil, errors.ErrUnsupported
	}
	return f, err
}

// nameFile gives a nameless file a name that no file has, as open(2) shows under O_TMPFILE.
func nameFile(f *os.File, name string) error {
	from, err := syscall.BytePtrFromString("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	if err != nil {
		return err
	}
	to, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	dir := atFDCWD
	_, _, errno := syscall.Syscall6(syscall.SYS_LINKAT, uintptr(dir), uintptr(unsafe.Pointer(from)),
		uintptr(dir), uintptr(unsafe.Pointer(to)), atSymlinkFollow, 0)
	if errno != 0 {
		return fmt.Errorf("link %s: %w", name, errno)
	}
	return nil
}

// othersLink says whether a name is a symbolic link of another user than this one and root.
func othersLink(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().Type() == fs.ModeSymlink && s.Uid != 0 && int(s.Uid) != os.Geteuid()
}
