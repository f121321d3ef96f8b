package epochs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// createNameless opens a file without a name on the file system where name will be.
func createNameless(name string) (*os.File, error) {
	switch info, err := os.Stat(name); {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("create %s: it is a directory", name)
	case err == nil && !info.Mode().IsRegular():
		// A device or pipe: it is written as it is, at the end.
		return scratch(os.TempDir())
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	f, err := scratch(filepath.Dir(name))
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", name, err)
	}
	return f, nil
}

// scratch opens a file in dir that goes away when it is closed.
func scratch(dir string) (*os.File, error) {
	f, err := openNameless(dir)
	if !errors.Is(err, errors.ErrUnsupported) {
		return f, err
	}
	f, err = os.CreateTemp(dir, ".ebb-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// publish lets fill write a file that appears under name when it is complete, in place of an older one.
func publish(name string, fill func(*os.File) error) error {
	// Neither a device nor a symbolic link gives its name to the file, but for a link that another user made: in a directory
	// where others may write, it leads where they like.
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() && !othersLink(info) {
		return overwrite(name, fill)
	}
	f, err := openNameless(filepath.Dir(name))
	if errors.Is(err, errors.ErrUnsupported) {
		return publishRenamed(name, fill)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := fill(f); err != nil {
		return notWritten(name, err)
	}
	err = nameFile(f, name)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	// A link can not replace a file, but a rename can: between the two calls the new file has a name of its own.
	next, err := unusedName(name)
	if err != nil {
		return err
	}
	if err := nameFile(f, next); err != nil {
		return err
	}
	if err := os.Rename(next, name); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return nil
}

// publishRenamed does what publish does on a file system that has no files without names. A kill while it writes leaves
// a file behind.
func publishRenamed(name string, fill func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".ebb-*")
	if err != nil {
		return err
	}
	err = fill(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(notWritten(name, err), os.Remove(f.Name()))
	}
	return nil
}

func overwrite(name string, fill func(*os.File) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	err = fill(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return notWritten(name, err)
	}
	return nil
}

// unusedName is a name beside name that no file has.
func unusedName(name string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(name), ".ebb-*")
	if err != nil {
		return "", err
	}
	return f.Name(), errors.Join(f.Close(), os.Remove(f.Name()))
}
