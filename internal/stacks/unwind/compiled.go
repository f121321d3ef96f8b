package unwind

// Compiled describes the frames of code that a virtual machine compiled while it ran, so that they
// can be walked.
type Compiled interface {
	// At returns the frame of the code at an address. Exact says that a thread was found at the
	// address; else it lies in a call there.
	At(addr uint64, exact bool) Frame
	// Unlinked reports whether the code at an address keeps no frame pointers, so that a chain of
	// frame pointers that leads there leaves callers out.
	Unlinked(addr uint64) bool
	// Calls reports whether the instruction that ends at addr is a call.
	Calls(addr uint64) bool
	// Marks returns marks that stand for the code at an address as long as the machine lives, since
	// other code can lie there later. The first is that of the method that was inlined innermost,
	// the last that of the method that all was inlined into. It returns none where the code is
	// unknown. The marks are valid until the next call.
	Marks(addr uint64) []uint64
	// MarkInterpreted returns the mark of a method that an interpreted frame runs, by the method's
	// address; 0 where there is none.
	MarkInterpreted(method uint64) uint64
}

// Marked is a bit that is set in each mark, and in no address of a program's code.
const Marked = 1 << 63

// frameKind is the way in which a frame is walked.
type frameKind uint8

const (
	// byPointer frames are walked by frame pointer, as all code of which nothing is known.
	byPointer frameKind = iota
	// bySize frames have the return address at a fixed distance above the stack pointer.
	bySize
	// interpreted frames are walked by frame pointer. The caller's stack pointer is in the word
	// below the one that the frame pointer points to, because arguments that were passed in
	// registers lie between the two frames.
	interpreted
)

// Frame describes a frame of compiled code.
type Frame struct {
	Kind frameKind
	Size uint64 // Sized: bytes from the stack pointer to above the return address
	// Saved says of a bySize frame that the caller's frame pointer is in the word below the return
	// address, and not in its register.
	Saved bool
}

// interpretedMethod is the distance in bytes from an interpreted frame's method up to the word that
// the frame pointer points to (frame_x86.hpp in OpenJDK).
const interpretedMethod = 24

// maxPushed bounds the words that compiled code is assumed to push beyond its frame's size, around
// some calls and in intrinsics.
const maxPushed = 6

// maxInterpreted bounds an interpreted frame, in bytes: 65535 words of operands, and what the
// interpreter keeps.
const maxInterpreted = 8*65535 + 4096

// compiled moves the walk to the caller of a frame that a virtual machine's compiler or its
// interpreter made.
func (w *walk) compiled(f *Frame, c Compiled, lookup lookup) (end End, more bool) {
	if f.Kind == interpreted {
		return w.interpreted()
	}
	sp := w.regs[rsp]
	top := sp + f.Size
	if f.Size < 8 || top < sp || sp&7 != 0 {
		return Lost, false
	}
	place := top - 8 // if no other place fits, the walk ends at the word here, and says so
	for n := range uint64(maxPushed + 1) {
		address, ok := w.word(top + 8*n - 8)
		if !ok {
			break
		}
		if code, _, _ := lookup(address - 1); code != Nothing && (n == 0 || c.Calls(address)) {
			place = top + 8*n - 8
			break
		}
	}
	address, ok := w.word(place)
	if ok && f.Saved {
		w.regs[rbp], ok = w.word(place - 8)
		w.known |= 1 << rbp
	}
	if !ok {
		return w.failed(), false
	}
	w.regs[rip], w.regs[rsp] = address, place+8
	w.known = 1<<rip | 1<<rsp | w.known&(1<<rbp)
	return 0, true
}

func (w *walk) interpreted() (end End, more bool) {
	frame, ok := w.register(rbp)
	sp := w.regs[rsp]
	if !ok || frame < sp || frame-sp > maxInterpreted || frame&7 != 0 {
		return Lost, false
	}
	next, ok1 := w.word(frame)
	address, ok2 := w.word(frame + 8)
	sender, ok3 := w.word(frame - 8)
	if !ok1 || !ok2 || !ok3 {
		return Beyond, false
	}
	// The caller of a method handle has pushed one argument more, and the return address then takes
	// that argument's place.
	if sender < frame+8 || sender&7 != 0 {
		return Lost, false
	}
	w.regs[rip], w.regs[rbp], w.regs[rsp] = address, next, max(sender, frame+16)
	w.known = 1<<rip | 1<<rbp | 1<<rsp
	return 0, true
}
