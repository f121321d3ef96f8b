// Package confine takes a process's rights away, for those of ebb's processes that read what others
// wrote. What is left is memory, the descriptors that it has, and the system calls of Go's runtime.
package confine
