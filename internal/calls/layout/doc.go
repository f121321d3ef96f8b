// Package layout has the places and sizes in the memory that an instrumented program shares with
// ebb, and the types of what is found there. internal/calls/runtime/layout.h has the same in C.
package layout
