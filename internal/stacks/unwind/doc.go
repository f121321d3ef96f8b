// Package unwind walks call stacks by call frame information: what compilers write down, for
// exceptions, about where in a function's frame the return address and the caller's registers are,
// at each of its instructions (.eh_frame: Linux Standard Base, Exception Frames; DWARF 5, section
// 6.4). So code that keeps no frame pointer is walked too, and a function that has no frame at all
// does not hide its caller.
//
// In code that a virtual machine compiled while it ran it goes by what that says of its frames
// (package hotspot). Where there is no such information either, the walk follows frame pointers,
// and goes on by call frame information behind it. It works on a copy of a stack's top; where the
// copy ends it goes on in the list of addresses that the kernel found by frame pointers, if it has
// come to the same chain.
//
// Tables can lie. A walk only goes up the stack, is bounded, and ends at an address where no code
// is.
package unwind
