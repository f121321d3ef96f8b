// Package symbols finds the names of the functions that code addresses lie in: of ELF files (C,
// C++, Rust, Go), of code that a virtual machine compiled while it ran, as its perf map
// (/tmp/perf-PID.map) or its jitdump lists it, and of the kernel.
//
// Nothing here fails because a file lies, is cut or gone: what cannot be found out stays an
// unresolved Frame, whose share a report shows.
package symbols
