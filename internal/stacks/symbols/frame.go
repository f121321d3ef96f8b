package symbols

// Kind says what kind of code a frame is.
type Kind uint8

const (
	// Unresolved: the address lies in nothing that is known.
	Unresolved Kind = iota
	// Native: of an ELF file.
	Native
	// JIT: compiled by a virtual machine; also its stubs, and its interpreter.
	JIT
	// Kernel: of the kernel.
	Kernel
	// Placed: of an ELF file that has no symbol for the function. Where it begins is known, by what
	// the file has for unwinding stacks; that is its name, as "libz.so.1.2.13+0x2a40".
	Placed
	// Interpreted: a method that a virtual machine's interpreter ran.
	Interpreted
)

func (k Kind) String() string {
	return [...]string{"unresolved", "native", "jit", "kernel", "placed", "interpreted"}[k]
}

// Frame is one entry of a call stack.
type Frame struct {
	// of the function; of an unresolved one, what is known: "[libfoo.so]", "[anonymous]",
	// "[unknown]"
	Name string
	// the file's name without its directory, "[kernel]", "[jit]", "[java]"; "" when unresolved
	Module  string
	Kind    Kind
	Unnamed // of what a file has no name for, else empty
}

// Unnamed says where code lies that has no name, for somebody who has its symbols later.
type Unnamed struct {
	BuildID string // the file's; "" where it has none
	// where the function begins, or the address itself where that is not known, in the file's own
	// numbering
	Addr uint64
	// the exported functions beside it: "between A and B", "behind A", "before B", ""
	Near string
}
