// Package confine takes a process's rights away, for those of ebb's processes that read what others
// wrote. The process keeps its memory, its descriptors, and the system calls of Go's runtime.
package confine
