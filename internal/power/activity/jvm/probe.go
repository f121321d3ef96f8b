package jvm

// probe is a function whose nop takes a breakpoint.
func probe()

// place returns the address of probe's nop.
func place() uintptr
