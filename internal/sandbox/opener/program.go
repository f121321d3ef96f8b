package opener

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// program opens the process's program if a path leads to it, by the process's root and with its
// rights, or if the path's last part does in the program's own directory. The descriptor is a path
// only: nothing can be read by it.
func (img *image) program(path string) (*os.File, error) {
	s, err := img.status()
	if err != nil || s.rights.mixed {
		return nil, fmt.Errorf("find the program of process %d: %w", img.pid, fs.ErrNotExist)
	}
	exe := fmt.Sprintf("/proc/self/fd/%d/exe", img.dir)
	var is unix.Stat_t
	if err := unix.Fstatat(img.dir, "exe", &is, 0); err != nil {
		return nil, fmt.Errorf("find the program of process %d: %w", img.pid, err)
	}
	at, err := os.Readlink(exe)
	if err != nil {
		return nil, fmt.Errorf("find the program of process %d: %w", img.pid, err)
	}
	if !filepath.IsAbs(path) {
		cwd, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d/cwd", img.dir))
		if err != nil {
			return nil, fmt.Errorf("find the program of process %d: %w", img.pid, err)
		}
		path = filepath.Join(cwd, path)
	}
	root, err := img.openRoot()
	if err != nil {
		return nil, err
	}
	defer unix.Close(root)
	found := -1
	err = s.rights.do(forFiles, func() error {
		for _, p := range []string{path, filepath.Join(filepath.Dir(at), filepath.Base(path))} {
			fd, err := openBelow(root, p, unix.O_PATH, 0)
			if err != nil {
				continue
			}
			var st unix.Stat_t
			if unix.Fstat(fd, &st) == nil && st.Dev == is.Dev && st.Ino == is.Ino {
				found = fd
				return nil
			}
			_ = unix.Close(fd) // a path only
		}
		return fs.ErrNotExist
	})
	if err != nil {
		return nil, fmt.Errorf("find the program of process %d: %w", img.pid, err)
	}
	return os.NewFile(uintptr(found), "program"), nil
}

// release opens the file that says which distribution is in a process's root: in this process's
// own, where both have the same. Everybody may read it.
func (o *Opener) release(m *image) (*os.File, error) {
	o.findRoot(m)
	root := o.own
	if m.root != nil {
		root = m.root.dir
	}
	var f *os.File
	err := everybodys.do(forFiles, func() (err error) {
		for _, path := range []string{"/etc/os-release", "/usr/lib/os-release"} {
			if f, err = regularBelow(root, path); err == nil {
				return nil
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open the os-release file: %w", err)
	}
	return f, nil
}
