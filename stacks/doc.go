// Package stacks samples the call stacks of a program's running threads, in the kernel.
//
// A thread is looked at each time it has used the CPU for another period (the software event
// task-clock, inherited by all that the program creates). So a thread that sleeps is neither looked
// at nor woken, an idle machine has no timer, and other programs are left alone. The stack is
// walked by frame pointers, in the interrupt, by the kernel; beside that a sample has the registers
// and the top of the stack, by which package stacks/unwind walks through code that keeps none.
//
// What the addresses mean is package stacks/symbols' business. The memory maps of a process, which
// that needs, are read here when a process is first seen and when an address is in none of them,
// because the process may be gone later.
package stacks
