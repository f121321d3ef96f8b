package sysfs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// maxSize bounds what is read of one attribute. The kernel's show functions have one page (4 KiB);
// the rest is room for the few that stream.
const maxSize = 64 << 10

// FS is a tree of attributes. It may be used from several goroutines.
type FS struct {
	root      *os.Root
	intercept Interceptor
	retained  map[string]File // open attributes by path; see Retain
}

// Open opens the tree at the directory root, such as /sys.
func Open(root string) (*FS, error) { return OpenIntercepted(root, nil) }

// OpenIntercepted opens a tree like Open. The interceptor, unless nil, sees every opened attribute.
func OpenIntercepted(root string, i Interceptor) (*FS, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, fail("open", root, err)
	}
	return &FS{root: r, intercept: i}, nil
}

// Close closes the tree and what Retain opened. Attributes kept open stay open.
func (f *FS) Close() error {
	for _, file := range f.retained {
		file.Close() // every write was checked
	}
	f.retained = nil
	return f.root.Close()
}

// Directory opens the tree's root itself, for another process to open the tree by.
func (f *FS) Directory() (*os.File, error) {
	d, err := f.root.Open(".")
	if err != nil {
		return nil, fail("open", ".", err)
	}
	return d, nil
}

func (f *FS) open(op, path string, flag int) (File, error) {
	d, err := openDescriptor(f.root, path, flag)
	if errors.Is(err, errNotRegular) {
		return nil, malformed(op, path, err)
	}
	if err != nil {
		return nil, fail(op, path, err)
	}
	if f.intercept != nil {
		return f.intercept(path, d), nil
	}
	return d, nil
}

// Read returns the whole attribute without its last newline.
func (f *FS) Read(path string) (string, error) {
	text, err := f.ReadStart(path, maxSize+1)
	if err == nil && len(text) > maxSize {
		err = malformed("read", path, fmt.Errorf("longer than %d bytes", maxSize))
	}
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(text, "\n"), nil
}

// ReadStart returns at most the first n bytes, for files whose end is of no interest, such as
// cpuinfo.
func (f *FS) ReadStart(path string, n int) (string, error) {
	file, err := f.use("read", path, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer file.Close()
	buf := make([]byte, 0, min(n, 4<<10))
	for len(buf) < n {
		if len(buf) == cap(buf) {
			buf = append(make([]byte, 0, min(n, 4*cap(buf))), buf...)
		}
		k, err := file.Pread(buf[len(buf):cap(buf)], int64(len(buf)))
		buf = buf[:len(buf)+k]
		if err != nil {
			return "", fail("read", path, err)
		}
		if k == 0 {
			break
		}
	}
	return string(buf), nil
}

// ReadInt returns an attribute that is one decimal number.
func (f *FS) ReadInt(path string) (int64, error) {
	text, err := f.Read(path)
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, malformed("read", path, fmt.Errorf("%.40q is not a number", text))
	}
	return v, nil
}

// Names returns the names in a directory, sorted.
func (f *FS) Names(dir string) ([]string, error) {
	d, err := f.root.Open(dir)
	if err != nil {
		return nil, fail("list", dir, err)
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil {
		return nil, fail("list", dir, err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	sortNatural(names)
	return names, nil
}

// Write hands one value to an attribute. That the kernel took it does not mean that it did it: read
// it back.
func (f *FS) Write(path, value string) error {
	file, err := f.use("write", path, os.O_WRONLY)
	if err != nil {
		return err
	}
	defer file.Close()
	return write(file, path, []byte(value))
}

// Writable returns nil if the attribute can be opened for writing, else why not. It writes nothing.
func (f *FS) Writable(path string) error {
	file, err := f.open("write", path, os.O_WRONLY)
	if err != nil {
		return err
	}
	return file.Close()
}

func write(f File, path string, value []byte) error {
	n, err := f.Pwrite(value, 0)
	if err != nil {
		return fail("write", path, err)
	}
	if n != len(value) {
		return &attributeError{"write", path, ErrRefused,
			fmt.Errorf("%w: %d of %d bytes", io.ErrShortWrite, n, len(value))}
	}
	return nil
}
