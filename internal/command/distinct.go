package command

import (
	"os"
	"path/filepath"
)

// NamedFile is a file that a flag names; an empty path names none.
type NamedFile struct{ Flag, Path string }

// Distinct refuses to write two results to one file, or one to a file that is read: one of them
// would be lost without a word. It knows a file by its inode, and a file that does not exist yet by
// its directory and name. Devices and pipes keep nothing, and may be named twice. Nothing is
// written to "-", by which users mean standard output: that belongs to the command that runs.
func Distinct(written, read []NamedFile) error {
	for i, w := range written {
		if w.Path == "-" {
			return Usagef("%s -: give the name of a file (./- is one); standard output is the "+
				"command's, and /dev/stderr is ebb's", w.Flag)
		}
		for _, other := range written[:i] {
			if sameFile(w.Path, other.Path) {
				return Usagef("%s and %s would both write %s, and one result would be lost",
					other.Flag, w.Flag, w.Path)
			}
		}
		for _, other := range read {
			if sameFile(w.Path, other.Path) {
				return Usagef("%s would overwrite %s, which %s reads", w.Flag, w.Path, other.Flag)
			}
		}
	}
	return nil
}

// sameFile reports whether two paths lead to one regular file, or will once it is created.
func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	if info, err := os.Stat(a); err == nil {
		other, err := os.Stat(b)
		return err == nil && info.Mode().IsRegular() && os.SameFile(info, other)
	}
	dir, err := os.Stat(filepath.Dir(a))
	other, errB := os.Stat(filepath.Dir(b))
	return err == nil && errB == nil && os.SameFile(dir, other) &&
		filepath.Base(a) == filepath.Base(b)
}
