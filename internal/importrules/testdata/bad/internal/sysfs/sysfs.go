// Package sysfs writes, as it may.
package sysfs

import "os"

// FS is a tree.
type FS struct{}

// WriteInt writes a number.
func (FS) WriteInt(name string, _ int) error { return Write(name, "") }

// Write writes a file.
func Write(name, text string) error { return os.WriteFile(name, []byte(text), 0) }
