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
)

func (k Kind) String() string { return [...]string{"unresolved", "native", "jit", "kernel"}[k] }

// Frame is one entry of a call stack.
type Frame struct {
	Name   string // of the function; of an unresolved one, what is known: "[libfoo.so]", "[anonymous]", "[unknown]"
	Module string // the file's name without its directory, "[kernel]", "[jit]"; "" when unresolved
	Kind   Kind
}
