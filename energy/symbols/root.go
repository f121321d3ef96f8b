package symbols

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// maxRoots bounds how many roots are kept open: of containers, of which each has its own.
const maxRoots = 64

// root is a tree of files as some processes see it. It stays open, so that files are found in it after their end. Whoever made
// it made what is in it: no link is followed out of it, as the kernel would follow an absolute one.
type root struct {
	dir *os.Root // nil where there is none
	key string   // which root it is; files of different roots are different files
}

// rootOf is the root of a process that lives. All that share one get the same.
func (r *Resolver) rootOf(pid int) *root {
	dir := fmt.Sprintf("/proc/%d/root", pid)
	key, err := rootKey(pid, dir)
	if err != nil {
		return &root{}
	}
	if known := r.roots[key]; known != nil {
		return known
	}
	if len(r.roots) >= maxRoots {
		r.problem("the program's processes have more than %d roots: names of files in others are not looked for", maxRoots)
		return &root{}
	}
	d, err := os.OpenRoot(dir)
	if err != nil {
		return &root{}
	}
	known := &root{dir: d, key: key}
	r.roots[key] = known
	return known
}

// rootKey tells roots apart: the same directory can have other things mounted in it in another mount namespace.
func rootKey(pid int, dir string) (string, error) {
	namespace, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/mnt", pid))
	if err != nil {
		return "", err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errors.New("no inode")
	}
	return fmt.Sprintf("%s %d:%d", namespace, stat.Dev, stat.Ino), nil
}

// open opens a file by its absolute path in the root.
func (t *root) open(path string) (*os.File, error) {
	if t.dir == nil {
		return nil, fmt.Errorf("open %s: its root is not known", path)
	}
	return t.dir.OpenFile(strings.TrimLeft(path, "/"), os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// regularELF reads an open ELF file. A program can have put anything where a file was, so that what is none is not waited for. It
// closes f if it fails.
func regularELF(f *os.File) (_ *elf.File, err error) {
	e, err := func() (*elf.File, error) {
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is not a regular file", f.Name())
		}
		return readELF(f)
	}()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return e, nil
}
