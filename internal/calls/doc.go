// Package calls counts the calls of functions in the threads of a target, exactly, whoever compiled
// them. The kernel puts a breakpoint at each function's entry (a uprobe), and a BPF program there
// adds one to a number. It writes no records and wakes nobody.
//
// Where the functions begin in their file is the caller's to know; package sandbox/child says what
// a breakpoint costs there.
package calls
