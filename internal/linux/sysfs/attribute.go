package sysfs

import (
	"errors"
	"fmt"
	"os"
	"strconv"
)

// Attribute is one number that is kept open for reading and writing, for those who do so hundreds
// of times a second: opening costs more than ten times the write. It belongs to one goroutine and
// allocates nothing but errors.
type Attribute struct {
	file File
	path string
	buf  [64]byte
}

// Keep opens an attribute for reading and writing and keeps it open.
func (f *FS) Keep(path string) (*Attribute, error) {
	file, err := f.open("open", path, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	return &Attribute{file: file, path: path}, nil
}

// KeepReading opens an attribute like Keep, for reading alone.
func (f *FS) KeepReading(path string) (*Attribute, error) {
	file, err := f.open("open", path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return &Attribute{file: file, path: path}, nil
}

// Again opens the attribute of the same path anew, where this one's device is gone and another has
// come in its place: the open file stays that of the old one for ever. It follows no link, so that
// it leads where it led before or nowhere. This one stays open.
func (f *FS) Again(a *Attribute) (*Attribute, error) {
	for end := range len(a.path) + 1 {
		if end < len(a.path) && a.path[end] != '/' {
			continue
		}
		info, err := f.root.Lstat(a.path[:end])
		if err != nil {
			return nil, fail("open", a.path, err)
		}
		if info.Mode()&os.ModeSymlink != 0 {
			return nil, malformed("open", a.path, errLink)
		}
	}
	return f.Keep(a.path)
}

var errLink = errors.New("a link is on the way")

// Path returns the attribute's path below the root.
func (a *Attribute) Path() string { return a.path }

// WriteInt writes a number in one call. ErrRefused says that the kernel did not take it.
func (a *Attribute) WriteInt(v int64) error {
	return write(a.file, a.path, strconv.AppendInt(a.buf[:0], v, 10))
}

// ReadInt asks the kernel for the value at the moment of the call.
func (a *Attribute) ReadInt() (int64, error) {
	n, err := a.file.Pread(a.buf[:], 0)
	if err != nil {
		return 0, fail("read", a.path, err)
	}
	v, ok := parseDecimal(a.buf[:n])
	if !ok {
		return 0, malformed("read", a.path, fmt.Errorf("%.40q is not a number", a.buf[:n]))
	}
	return v, nil
}

// parseDecimal reads a number of at most 18 digits with an optional newline.
func parseDecimal(b []byte) (v int64, ok bool) {
	if n := len(b); n > 0 && b[n-1] == '\n' {
		b = b[:n-1]
	}
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	return v, true
}

// Close closes the attribute.
func (a *Attribute) Close() error { return a.file.Close() }
