package unwind

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

const (
	maxMethods = 1 << 16 // methods that are kept
	maxCodes   = 1 << 17
	maxNames   = 8 << 20 // bytes of the names of all codes
	maxSymbol  = 1024    // bytes of a name
)

// JavaCode is what a mark stands for: a method, as "java.lang.String.hashCode", or other code that
// the machine made, as "StubRoutines (1)".
type JavaCode struct {
	Name        string
	Interpreted bool
}

// method is what was read of a method. Another method can take its place in memory.
type method struct {
	constMethod uint64
	mark        uint64
	round       int // round in which it was read last
}

// Codes returns the code that each mark stands for, in order of the marks.
func (h *HotSpot) Codes() []JavaCode { return h.codes }

// MarkInterpreted returns the mark of a method that is interpreted; 0 if none is at the address.
func (h *HotSpot) MarkInterpreted(at uint64) uint64 { return h.method(at, true) }

// mark returns the mark of code, which all code of one name shares. It returns 0 where there are
// too many.
func (h *HotSpot) mark(c JavaCode) uint64 {
	mark, ok := h.marks[c]
	if !ok && len(h.codes) < maxCodes && h.nameBytes+len(c.Name) <= maxNames {
		h.nameBytes += len(c.Name)
		mark = Marked | uint64(len(h.codes))
		h.codes, h.marks[c] = append(h.codes, c), mark
	}
	return mark
}

// method returns the mark of the method at an address; 0 if there is none. A method has the address
// at which the interpreter enters it, in the code cache. Other memory that a word of a stack points
// to mostly has no such address.
func (h *HotSpot) method(at uint64, interpreted bool) uint64 {
	if !h.mayBeMethod(at) {
		return 0
	}
	key := at
	if interpreted {
		key |= 1
	}
	known, ok := h.methods[key]
	if ok && known.round == h.round {
		return known.mark
	}
	constMethod, entry, readable := h.methodHead(at)
	if !readable {
		return known.mark // it was a method before; the machine may have ended
	}
	if !ok || known.constMethod != constMethod {
		known = method{constMethod: constMethod}
		if h.Has(entry) {
			if name := h.methodName(constMethod); name != "" {
				known.mark = h.mark(JavaCode{name, interpreted})
			}
		}
	}
	known.round = h.round
	if len(h.methods) >= maxMethods {
		clear(h.methods)
	}
	h.methods[key] = known
	return known.mark
}

// maxMethodHead bounds what is read of a method, in bytes.
const maxMethodHead = 256

// mayBeMethod reports whether a method can be at an address.
func (h *HotSpot) mayBeMethod(at uint64) bool {
	l := &h.layout
	return at != 0 && at&7 == 0 && l.constMethod.known && l.entry.known &&
		l.constMethod.offset <= maxMethodHead-8 && l.entry.offset <= maxMethodHead-8
}

// methodHead reads where a method's names are, and the address at which the interpreter enters it.
func (h *HotSpot) methodHead(at uint64) (constMethod, entry uint64, ok bool) {
	l := &h.layout
	var raw [maxMethodHead]byte
	if !h.read(raw[:max(l.constMethod.offset, l.entry.offset)+8], at) {
		return 0, 0, false
	}
	return binary.LittleEndian.Uint64(raw[l.constMethod.offset:]),
		binary.LittleEndian.Uint64(raw[l.entry.offset:]), true
}

// methodName returns a method's name behind that of its class; "" where either is unreadable.
func (h *HotSpot) methodName(constMethod uint64) string {
	pool, class := h.class(constMethod)
	name := h.inPool(pool, constMethod, &h.layout.nameIndex)
	if class == "" || name == "" {
		return ""
	}
	return class + "." + name
}

// class returns the address of the pool of constants of a method's class, and the class's name; ""
// where it has none (oops/constMethod.hpp, oops/constantPool.hpp, oops/klass.hpp).
func (h *HotSpot) class(constMethod uint64) (pool uint64, name string) {
	l := &h.layout
	if !l.constants.known || !l.holder.known || !l.className.known || !l.symbolLength.known ||
		!l.symbolBody.known || l.pool == 0 {
		return 0, ""
	}
	pool, ok1 := h.word(constMethod + l.constants.offset)
	holder, ok2 := h.word(pool + l.holder.offset)
	class, ok3 := h.word(holder + l.className.offset)
	if !ok1 || !ok2 || !ok3 {
		return 0, ""
	}
	return pool, strings.ReplaceAll(h.symbol(class), "/", ".")
}

// inPool returns the text in a pool of constants whose number a field of a method has.
func (h *HotSpot) inPool(pool, constMethod uint64, number *field) string {
	if !number.known || pool == 0 {
		return ""
	}
	index, ok1 := h.integer(constMethod+number.offset, 2)
	text, ok2 := h.word(pool + h.layout.pool + 8*uint64(uint16(index)))
	if !ok1 || !ok2 {
		return ""
	}
	return h.symbol(text)
}

// symbol returns one of the machine's texts (oops/symbol.hpp); "" where it cannot be read.
func (h *HotSpot) symbol(at uint64) string {
	l := &h.layout
	n, ok := h.integer(at+l.symbolLength.offset, 2)
	if size := uint16(n); !ok || at == 0 || size == 0 || size > maxSymbol {
		return ""
	}
	b := make([]byte, uint16(n))
	if !h.read(b, at+l.symbolBody.offset) || !utf8.Valid(b) {
		return ""
	}
	return string(b)
}
