// Package counts counts in the kernel how long each cgroup has each CPU. The kernel keeps the sums;
// nothing wakes user space, which reads them when a window ends.
package counts
