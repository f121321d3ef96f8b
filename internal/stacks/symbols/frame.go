package symbols

// Kind is the kind of code that a frame ran.
type Kind uint8

const (
	// Unresolved code lies in nothing that is known.
	Unresolved Kind = iota
	// Native code is that of an ELF file.
	Native
	// JIT code was made by a virtual machine: methods, its stubs, and its interpreter.
	JIT
	// Kernel code is the kernel's.
	Kernel
	// Placed code is that of an ELF file that has no symbol for the function. Its begin is known
	// from what the file has for unwinding stacks, and serves as its name, as in
	// "libz.so.1.2.13+0x2a40".
	Placed
	// Interpreted code is a method that a virtual machine's interpreter ran.
	Interpreted
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
	Module  string
	Kind    Kind
	Unnamed // place of code for which a file has no name; else empty
}

// Unnamed says where code without a name lies, for a reader who gets its symbols later.
type Unnamed struct {
	BuildID string // the file's; "" where it has none
	// Addr is the start of the function, or the address itself where the start is not known, in the
	// file's own numbering
	Addr uint64
	// Near has the exported functions beside it: "between A and B", "behind A", "before B", ""
	Near string
}
