// Package stacks samples the call stacks of a program's running threads, in the kernel.
//
// Each thread is sampled once per fixed period of CPU time (the software event task-clock, which
// all that the program creates inherits). So a sleeping thread is neither sampled nor woken, an
// idle machine has no timer, and other programs are left alone. The kernel walks the stack by frame
// pointers, in the interrupt. A sample also has the registers and the top of the stack, with which
// package stacks/unwind walks through code that keeps no frame pointers.
//
// Package stacks/symbols names the addresses. It needs the memory maps of a process. The sampler
// reads them when it first sees the process and when an address is in none of them, because the
// process may be gone later.
package stacks
