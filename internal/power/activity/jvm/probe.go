package jvm

// probe is a place for a breakpoint.
func probe()

// place returns the address of probe's nop.
func place() uintptr
