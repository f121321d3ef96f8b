// Package confine takes a process's rights away, for those of ebb's processes that read what others
// wrote. Memory is left, the descriptors that it has, and the system calls of Go's runtime.
package confine
