// Package functions hands an instrumented program the memory in which its library counts calls and
// writes records of single invocations, and says in it which period it is. It reads nothing of
// what the program writes there: package layout does, in the process without rights.
package functions
