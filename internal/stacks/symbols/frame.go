package symbols

// Kind is the kind of code that a frame ran.
type Kind uint8

const (
	// kindUnresolved code lies in nothing that is known.
	kindUnresolved Kind = iota
	// kindNative code is that of an ELF file.
	kindNative
	// kindJIT code was made by a virtual machine: methods, its stubs, and its interpreter.
	kindJIT
	// kindKernel code is the kernel's.
	kindKernel
	// kindBegin code is that of an ELF file that has no symbol for the function. Its begin is known
	// from what the file has for unwinding stacks, and serves as its name, as in
	// "libz.so.1.2.13+0x2a40".
	kindBegin
	// kindInterpreted code is a method that a virtual machine's interpreter ran.
	kindInterpreted
)

func (k Kind) String() string {
	return [...]string{"unresolved", "native", "jit", "kernel", "placed", "interpreted"}[k]
}

// Frame is one entry of a call stack.
type Frame struct {
	// Name is the function's; for an unresolved one what is known: "[libfoo.so]", "[anonymous]",
	// "[unknown]"
	Name string
	// Module is the file's name without its directory, "[kernel]", "[jit]", "[java]"; ""
	// when unresolved
	Module      string
	Kind        Kind
	unnamedCode // place of code for which a file has no name; else empty
}

// unnamedCode says where code without a name lies, for a reader who gets its symbols later.
type unnamedCode struct {
	BuildID string // the file's; "" where it has none
	// Addr is the start of the function, or the address itself where the start is not known, in the
	// file's own numbering
	Addr uint64
	// Near has the exported functions beside it: "between A and B", "behind A", "before B", ""
	Near string
}
