package sysfs

import (
	"errors"
	"os"
)

// retained is an attribute that stays open when its user closes it.
type retained struct{ File }

func (retained) Close() error { return nil }

// Retain opens attributes for reading and writing and keeps them open until Close. Reading and
// writing them then looks no name up, which can wait for other work on the file system. An
// attribute that cannot be opened so is opened by its name when it is used. Retain comes before any
// other use of the tree.
func (f *FS) Retain(paths []string) {
	f.retained = map[string]File{}
	for _, path := range paths {
		if file, err := f.open("open", path, os.O_RDWR); err == nil {
			f.retained[path] = file
		}
	}
}

// use opens an attribute, or returns the one that is open. A driver that came back has another file
// under the same name: the one that is open is gone then, and is not used.
func (f *FS) use(op, path string, flag int) (File, error) {
	if file, ok := f.retained[path]; ok {
		var one [1]byte
		_, err := file.Pread(one[:], 0)
		if err == nil || !errors.Is(fail(op, path, err), ErrAbsent) {
			return retained{file}, nil
		}
	}
	return f.open(op, path, flag)
}
