package unwind

// JavaPiece is code that a machine made: a method's, or what the machine itself needs.
type JavaPiece struct {
	Start, End uint64
	// Method is compiled here, with what was inlined into it. It is zero where the code is no
	// method's or the method cannot be read.
	Method JavaMethod
}

// JavaMethod is a method. Its names are the machine's, which are the same in every run, but those
// of classes that it makes as it runs.
type JavaMethod struct {
	Class     string // "java.lang.String"
	Name      string // "hashCode"
	Signature string // "()I"
}

// Pieces has take called with the code that lies at the addresses now, each piece once. Nothing of
// it was kept from before, since code is thrown away and other code takes its place.
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

// described is the method at an address, all of it or nothing.
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
