// Package topology writes.
package topology

import "example.com/bad/internal/sysfs"

// Offline writes a file it may only read.
func Offline() error {
	var fs sysfs.FS
	if err := fs.WriteInt("online", 0); err != nil {
		return err
	}
	return sysfs.Write("online", "0")
}
