// Package attach has what all attaching of BPF programs shares: the files that take breakpoints,
// and why the kernel refuses.
package attach
