package usdt

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// probe is one note. Its texts are parts of the section's bytes.
type probe struct {
	provider, name []byte
	location       uint64 // virtual address of the nop
	base           uint64 // address of the section .stapsdt.base when the file was linked
}

const (
	noteHead   = 12 // sizes of name and descriptor, type
	noteType   = 3
	noteOwner  = "stapsdt"
	noteFixed  = 24 // location, base and semaphore, before the names
	alignNotes = 4
)

// eachProbe calls f for each probe in a section of notes, until f fails. It accepts any bytes and
// keeps none.
func eachProbe(data []byte, f func(probe) error) error {
	for len(data) > 0 {
		if len(data) < noteHead {
			return fmt.Errorf("%w: %d bytes where a note should be", ErrMalformed, len(data))
		}
		nameLen, descLen := uint64(
			binary.LittleEndian.Uint32(data),
		), uint64(binary.LittleEndian.Uint32(data[4:]))
		kind := binary.LittleEndian.Uint32(data[8:])
		descAt := noteHead + aligned(nameLen)
		if descAt+descLen > uint64(len(data)) {
			return fmt.Errorf("%w: a note of %d and %d bytes, with %d left", ErrMalformed, nameLen,
				descLen, len(data))
		}
		owner := bytes.TrimRight(data[noteHead:noteHead+nameLen], "\x00")
		desc := data[descAt : descAt+descLen]
		data = data[min(descAt+aligned(descLen), uint64(len(data))):]
		if kind != noteType || string(owner) != noteOwner || len(desc) < noteFixed {
			continue
		}
		provider, rest, ok := bytes.Cut(desc[noteFixed:], []byte{0})
		name, _, ok2 := bytes.Cut(rest, []byte{0})
		if !ok || !ok2 {
			continue
		}
		p := probe{provider, name, binary.LittleEndian.Uint64(desc),
			binary.LittleEndian.Uint64(desc[8:])}
		if err := f(p); err != nil {
			return err
		}
	}
	return nil
}

func aligned(n uint64) uint64 { return (n + alignNotes - 1) / alignNotes * alignNotes }
