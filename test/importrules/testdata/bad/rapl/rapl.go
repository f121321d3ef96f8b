// Package rapl writes.
package rapl

import "example.com/bad/internal/linux/sysfs"

// Offline writes a file it may only read.
func Offline(fs *sysfs.FS) error {
	write := fs.Write // not called here, but not to be had either
	if _, err := fs.Keep("online"); err != nil {
		return err
	}
	return write("online", "0")
}
