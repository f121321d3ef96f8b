// Package calls counts the calls of functions in the threads of a target. The kernel counts them
// exactly, whoever compiled them: it puts a breakpoint at each function's entry (a uprobe), and a
// BPF program there adds one to a number. It writes no records and wakes nobody.
//
// Where the functions begin in their file is the caller's to know; package sandbox/child says what
// a breakpoint costs there.
//
// # Programs that count themselves
//
// An instrumented program counts its calls by a library (directory runtime; for Java an agent,
// directory java), and writes records of single invocations. Shared is the memory in which it does,
// and says in it which period it is. The package reads nothing of what the program writes there:
// package instrumented does, in the process without rights.
package calls
