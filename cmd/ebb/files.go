package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// checkWritable finds out before the run whether the report can be written after it. It creates nothing, so that nothing
// is left when ebb is killed.
func checkWritable(flag, path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return usagef("%s %s: it is a directory", flag, path)
	case err == nil && !info.Mode().IsRegular():
		err = unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS)
	default:
		err = unix.Faccessat(unix.AT_FDCWD, filepath.Dir(path), unix.W_OK|unix.X_OK, unix.AT_EACCESS)
	}
	if err != nil {
		return usagef("%s %s: %w", flag, path, err)
	}
	return nil
}

// othersLink says whether a name is a symbolic link that another user than ebb's and root made: in a directory where others
// may write, it leads where they like.
func othersLink(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().Type() == fs.ModeSymlink && s.Uid != 0 && int(s.Uid) != os.Geteuid()
}

// fileFor creates a file the user asked for.
func fileFor(flag, path string) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && othersLink(info) {
		return nil, usagef("%s %s: it is a symbolic link of another user", flag, path)
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, usagef("%s: %w", flag, err)
	}
	return f, nil
}

// wholeFile writes a file that appears whole or not at all, in place of an older one, or of another user's symbolic link.
// A device, a pipe and what another link leads to are written as they are: a file put in their place would take their name,
// and /dev/stdout is a link.
func wholeFile(path string, write func(io.Writer) error) error {
	var err error
	if info, serr := os.Lstat(path); serr == nil && !info.Mode().IsRegular() && !othersLink(info) {
		err = overwrite(path, write)
	} else {
		err = replace(path, write)
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err // its path may be the draft's
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func overwrite(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	return errors.Join(filled(f, write), f.Close())
}

func replace(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".ebb-*") // a name that nobody can have put a link under
	if err != nil {
		return err
	}
	if err = errors.Join(filled(f, write), f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

func filled(f *os.File, write func(io.Writer) error) error {
	buf := bufio.NewWriter(f)
	if err := write(buf); err != nil {
		return err
	}
	return buf.Flush()
}

// writeJSON is how all JSON of ebb's is written.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
