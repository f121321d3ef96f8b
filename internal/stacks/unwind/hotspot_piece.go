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
func (m *HotSpot) Pieces(addrs []uint64, take func(JavaPiece)) {
	m.Refresh()
	var last JavaPiece
	for _, addr := range addrs {
		if addr >= last.Start && addr < last.End {
			continue
		}
		if p, ok := m.piece(addr); ok {
			last = p
			take(p)
		}
	}
}

func (m *HotSpot) piece(addr uint64) (JavaPiece, bool) {
	for i := range m.heaps {
		h := &m.heaps[i]
		if addr < h.low || addr >= h.high {
			continue
		}
		block, ok := m.block(h, addr)
		if !ok {
			return JavaPiece{}, false
		}
		b, ok := m.header(block+m.layout.block, addr)
		if !ok {
			return JavaPiece{}, false
		}
		p := JavaPiece{Start: max(b.at, h.low), End: min(b.at+b.size, h.high)}
		if addr < p.Start || addr >= p.End {
			return JavaPiece{}, false
		}
		if m.named(b.name).method {
			p.Method = m.described(b.method)
		}
		return p, true
	}
	return JavaPiece{}, false
}

// described returns the method at an address. It is zero unless all its names can be read.
func (m *HotSpot) described(at uint64) JavaMethod {
	if !m.mayBeMethod(at) {
		return JavaMethod{}
	}
	constMethod, entry, ok := m.methodHead(at)
	if !ok || !m.Has(entry) {
		return JavaMethod{}
	}
	pool, class := m.class(constMethod)
	out := JavaMethod{class, m.inPool(pool, constMethod, &m.layout.nameIndex),
		m.inPool(pool, constMethod, &m.layout.signatureIndex)}
	if out.Class == "" || out.Name == "" || out.Signature == "" {
		return JavaMethod{}
	}
	return out
}
