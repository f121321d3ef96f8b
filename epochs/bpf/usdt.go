package bpf

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
)

// Programs can carry probes of their own: a nop at the place, and a note in the section .note.stapsdt that says where it
// is (the SystemTap project's sys/sdt.h, version 3). As they are no symbols, debug/elf does not know them.

// probe is where a probe of a program lies.
type probe struct {
	provider, name string
	location       uint64 // virtual address of the nop
	base           uint64 // of the section .stapsdt.base when the file was linked
}

const (
	noteHead   = 12 // sizes of name and descriptor, type
	noteType   = 3
	noteOwner  = "stapsdt"
	noteFixed  = 24 // location, base and semaphore, before the names
	alignNotes = 4
)

var errNotes = errors.New("malformed probe notes")

// probeNotes reads the notes of a 64-bit file. It accepts any bytes.
func probeNotes(data []byte, order binary.ByteOrder) (out []probe, err error) {
	for len(data) > 0 {
		if len(data) < noteHead {
			return nil, fmt.Errorf("%w: %d bytes left", errNotes, len(data))
		}
		nameLen, descLen := uint64(order.Uint32(data)), uint64(order.Uint32(data[4:]))
		kind := order.Uint32(data[8:])
		descAt := noteHead + aligned(nameLen)
		if descAt+descLen > uint64(len(data)) {
			return nil, fmt.Errorf("%w: a note of %d and %d bytes, with %d left", errNotes, nameLen, descLen, len(data))
		}
		owner := string(bytes.TrimRight(data[noteHead:noteHead+nameLen], "\x00"))
		desc := data[descAt : descAt+descLen]
		data = data[min(descAt+aligned(descLen), uint64(len(data))):]
		if kind != noteType || owner != noteOwner || len(desc) < noteFixed {
			continue
		}
		provider, rest, ok := bytes.Cut(desc[noteFixed:], []byte{0})
		name, _, ok2 := bytes.Cut(rest, []byte{0})
		if ok && ok2 {
			out = append(out, probe{string(provider), string(name), order.Uint64(desc), order.Uint64(desc[8:])})
		}
	}
	return out, nil
}

func aligned(n uint64) uint64 { return (n + alignNotes - 1) / alignNotes * alignNotes }

// probesOf finds the places of the provider's probes in a file: offsets into the file, by the probes' names.
func probesOf(path, provider string) (map[string][]uint64, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	section := f.Section(".note.stapsdt")
	if section == nil || f.Class != elf.ELFCLASS64 {
		return nil, nil
	}
	data, err := section.Data()
	if err != nil {
		return nil, err
	}
	probes, err := probeNotes(data, f.ByteOrder)
	if err != nil {
		return nil, err
	}
	base := f.Section(".stapsdt.base")
	out := map[string][]uint64{}
	for _, p := range probes {
		if p.provider != provider {
			continue
		}
		at := p.location
		if base != nil { // the file was moved after linking
			at += base.Addr - p.base
		}
		if offset, ok := offsetOf(f, at); ok {
			out[p.name] = append(out[p.name], offset)
		}
	}
	return out, nil
}

// offsetOf is the place in the file of a virtual address.
func offsetOf(f *elf.File, address uint64) (uint64, bool) {
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && address >= p.Vaddr && address-p.Vaddr < p.Filesz {
			return address - p.Vaddr + p.Off, true
		}
	}
	return 0, false
}
