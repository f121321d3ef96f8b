// Package stacks samples the call stacks of a program's running threads, in the kernel.
//
// Each CPU has a clock event, which takes a sample if it finds a thread of the target. The event
// counts only while a thread of the target's cgroup runs there. So a sleeping thread is neither
// sampled nor woken, an idle CPU has no timer, and other programs of the cgroup pay an interrupt
// that does nothing. The kernel walks the stack by frame pointers, in the interrupt. A sample also
// has the registers and the top of the stack, with which package internal/stacks/unwind walks
// through code that keeps no frame pointers.
//
// Package internal/stacks/symbols names the addresses. It needs the memory maps of a process. The
// sampler reads them when it first sees the process and when an address is in none of them, because
// the process may be gone later.
package stacks
