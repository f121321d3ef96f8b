package inventory

import "golang.org/x/sys/unix"

// KernelsOwn reports whether root is the kernel's own tree, and not one of files that stands for
// it.
func KernelsOwn(root string) bool {
	var s unix.Statfs_t
	return unix.Statfs(root, &s) == nil && s.Type == unix.SYSFS_MAGIC
}
