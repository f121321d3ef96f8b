// Package unwind walks call stacks by call frame information: what compilers write down, for
// exceptions, about where in a function's frame the return address and the caller's registers are,
// at each of its instructions (.eh_frame: Linux Standard Base, Exception Frames; DWARF 5, section
// 6.4). So code that keeps no frame pointer is walked too, and a function that has no frame at all
// does not hide its caller.
//
// Where there is no such information, the walk follows frame pointers, and goes on by call frame
// information behind it. It works on a copy of a stack's top; where the copy ends it goes on in the
// list of addresses that the kernel found by frame pointers, if it has come to the same chain.
//
// Tables can lie. A walk only goes up the stack, is bounded, and ends at an address where no code
// is.
//
// # Code that a Java virtual machine compiled
//
// Compiled code of Java keeps no frame pointer unless an option asks for it, and has no call frame
// information. HotSpot reads what such a machine says of itself to debuggers: gHotSpotVMStructs and
// its companions (src/hotspot/share/runtime/vmStructs.hpp in OpenJDK) say where the fields of its
// structures are. The segment map of a part of the code cache leads from an address to the blob
// that it lies in (memory/heap.cpp), and the blob has its frame's size (code/codeBlob.hpp).
//
// HotSpot reads a running program's memory, which may change meanwhile, and may lie. It follows
// nothing without a bound, and treats what makes no sense as absent.
package unwind
