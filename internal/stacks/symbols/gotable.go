package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/ebb-energy/ebb/internal/stacks/unwind"
)

// The first words of a Go program's own table (runtime/symtab.go in Go's sources), by the version
// that wrote them first.
const (
	go12  = 0xfffffffb
	go116 = 0xfffffffa
	go118 = 0xfffffff0
	go120 = 0xfffffff1
)

// The ranks of spans, by their origin. rankPlace is for places without names, rankStub for stubs.
// rankSymbol and the ranks above it are for a file's symbols: first those without a size, labels
// before functions, then those with a size. rankGo is for a Go program's own table.
const (
	rankPlace  = 0
	rankStub   = 1
	rankSymbol = 2
	rankGo     = 0xff
)

// goNames reads the names of functions in a Go program's table (.gopclntab).
type goNames struct {
	r     *io.SectionReader
	order binary.ByteOrder
	about int64 // the start of the functions' descriptions
	texts int64 // start of the names; a name's place counts from here
	field int64 // offset of the name's place in a function's description
	// relative: functions' places count from where the code begins.
	relative bool
}

func (g *goNames) name(at uint32) string {
	var b [4]byte
	if _, err := g.r.ReadAt(b[:], g.about+int64(at)+g.field); err != nil {
		return ""
	}
	return fileText{io.NewSectionReader(g.r, g.texts,
		g.r.Size()-g.texts)}.name(g.order.Uint32(b[:]))
}

// goFunctions adds the functions from the table that a Go program carries for its own stack traces.
func (l *list) goFunctions(e *elf.File, budget *budget) error {
	section, text := unwind.GoTable(e)
	r, ok := sectionOf(section)
	if !ok {
		return nil
	}
	g, entries, width, err := goTableOf(r, e.ByteOrder)
	if err != nil {
		return err
	}
	base, half := uint64(0), width/2
	if g.relative {
		base = text
	}
	source, last := l.source(g), span{}
	number := func(b []byte) uint64 {
		if len(b) == 8 {
			return e.ByteOrder.Uint64(b)
		}
		return uint64(e.ByteOrder.Uint32(b))
	}
	first := true
	return records(entries, width, budget, func(b []byte) bool {
		start := base + number(b[:half])
		if last.end = start; !first && start > last.start && !l.add(last) {
			return false
		}
		first = false
		last = span{start: start, name: uint32(number(b[half:])), source: source, rank: rankGo}
		return true
	})
}

// goTableOf finds the list of functions: pairs of a function's start and the place of its
// description. The end of the last function follows the last pair.
func goTableOf(
	r *io.SectionReader, order binary.ByteOrder,
) (g *goNames, entries *io.SectionReader, width int, err error) {
	var h [8 + 8*8]byte
	n, _ := r.ReadAt(h[:], 0)
	fail := func() (*goNames, *io.SectionReader, int, error) {
		return nil, nil, 0, fmt.Errorf("its table of Go functions begins with % x",
			bytes.TrimRight(h[:8], "\x00"))
	}
	word := int64(h[7])
	if n < 8+8*int(word) || word != 4 && word != 8 {
		return fail()
	}
	field := func(i int64) int64 {
		if word == 4 {
			return int64(order.Uint32(h[8+4*i:]))
		}
		return int64(order.Uint64(h[8+8*i:]) & (1<<62 - 1))
	}
	count, at := field(0), int64(0)
	g = &goNames{r: r, order: order, field: word}
	width = int(2 * word)
	switch order.Uint32(h[:]) {
	case go12:
		at = 8 + word
	case go116:
		at = field(6)
		g.about, g.texts = at, field(2)
	case go118, go120:
		at = field(7)
		g.about, g.texts, g.field, g.relative, width = at, field(3), 4, true, 8
	default:
		return fail()
	}
	if at > r.Size() || g.texts > r.Size() || count > (r.Size()-at)/int64(width) {
		return fail()
	}
	ends := int64(width) // bytes behind the last pair for the last function's end
	return g, io.NewSectionReader(r, at, min(count*int64(width)+ends, r.Size()-at)), width, nil
}
