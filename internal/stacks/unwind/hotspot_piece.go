package unwind

// JavaPiece is a piece of code that a machine made: a method's, or one that the machine itself
// needs.
type JavaPiece struct {
	Start, End uint64
	// Method is the method that is compiled here, with what was inlined into it. It is zero where
	// the code is no method's or the method cannot be read.
	Method JavaMethod
}

// JavaMethod names a method. The names are the machine's own, and are the same in every run, apart
// from those of classes that it makes as it runs.
type JavaMethod struct {
	Class     string // "java.lang.String"
	Name      string // "hashCode"
	Signature string // "()I"
}

// Pieces calls take with the code that lies at the addresses at the time of the call, each piece
// once. It reads everything anew, since code is thrown away and other code takes its place.
func (h *HotSpot) Pieces(addrs []uint64, take func(JavaPiece)) {
	h.Refresh()
	var last JavaPiece
	for _, addr := range addrs {
		if addr >= last.Start && addr < last.End {
			continue
		}
		if p, ok := h.piece(addr); ok {
			last = p
			take(p)
		}
	}
}

func (h *HotSpot) piece(addr uint64) (JavaPiece, bool) {
	for i := range h.heaps {
		in := &h.heaps[i]
		if addr < in.low || addr >= in.high {
			continue
		}
		block, ok := h.block(in, addr)
		if !ok {
			return JavaPiece{}, false
		}
		b, ok := h.header(block+h.layout.block, addr)
		if !ok {
			return JavaPiece{}, false
		}
		p := JavaPiece{Start: max(b.at, in.low), End: min(b.at+b.size, in.high)}
		if addr < p.Start || addr >= p.End {
			return JavaPiece{}, false
		}
		if h.named(b.name).method {
			p.Method = h.described(b.method)
		}
		return p, true
	}
	return JavaPiece{}, false
}

// described returns the method at an address. It is zero unless all its names can be read.
func (h *HotSpot) described(at uint64) JavaMethod {
	if !h.mayBeMethod(at) {
		return JavaMethod{}
	}
	constMethod, entry, ok := h.methodHead(at)
	if !ok || !h.Has(entry) {
		return JavaMethod{}
	}
	pool, class := h.class(constMethod)
	out := JavaMethod{class, h.inPool(pool, constMethod, &h.layout.nameIndex),
		h.inPool(pool, constMethod, &h.layout.signatureIndex)}
	if out.Class == "" || out.Name == "" || out.Signature == "" {
		return JavaMethod{}
	}
	return out
}
