package devtest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// USDTProbe is a probe of an image, as its note has it.
type USDTProbe struct {
	Provider, Name string
	Place          uint64 // offset in the file
}

// Where the parts of an image lie in its file.
const (
	USDTSegmentAt = 0x40   // the only segment, which loads all of the file as code
	USDTCodeAt    = 0x1000 // where the program begins
	usdtAddress   = 0x400000
)

// Sections of an image, in their order.
const (
	USDTNotesSection = iota + 1
	USDTBaseSection
	USDTNamesSection
	usdtSections
)

// USDTSectionAt returns where the head of a section lies in an image.
func USDTSectionAt(image []byte, section int) int {
	return int(binary.LittleEndian.Uint64(image[40:])) + section*0x40
}

// USDTProgram builds an executable for Linux on x86-64 that has this code at USDTCodeAt, and these
// probes.
func USDTProgram(code []byte, probes ...USDTProbe) []byte {
	var notes []byte
	for _, p := range probes {
		notes = append(notes, USDTNote("stapsdt", 3, usdtAddress+p.Place, usdtAddress,
			p.Provider+"\x00"+p.Name+"\x00\x00")...)
	}
	names := []byte("\x00.note.stapsdt\x00.stapsdt.base\x00.shstrtab\x00")
	notesAt := USDTCodeAt + uint64(len(code)+7)/8*8
	namesAt := notesAt + uint64(len(notes))
	tableAt := (namesAt + uint64(len(names)) + 7) / 8 * 8
	size := tableAt + usdtSections*0x40
	var b bytes.Buffer
	put := func(at uint64, values ...any) {
		b.Write(make([]byte, at-uint64(b.Len())))
		for _, v := range values {
			if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
				panic(err) // a value that is none
			}
		}
	}
	put(0, elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB),
			byte(elf.EV_CURRENT)},
		Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64),
		Version: uint32(elf.EV_CURRENT), Entry: usdtAddress + USDTCodeAt,
		Phoff: USDTSegmentAt, Shoff: tableAt, Ehsize: 0x40, Phentsize: 0x38, Phnum: 1,
		Shentsize: 0x40, Shnum: usdtSections, Shstrndx: USDTNamesSection,
	})
	put(USDTSegmentAt, elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X),
		Vaddr: usdtAddress, Paddr: usdtAddress, Filesz: size, Memsz: size, Align: 0x1000})
	put(USDTCodeAt, code)
	put(notesAt, notes, names)
	put(tableAt, elf.Section64{},
		elf.Section64{Name: 1, Type: uint32(elf.SHT_NOTE),
			Off: notesAt, Size: uint64(len(notes)), Addralign: 4},
		elf.Section64{Name: 15, Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC),
			Addr: usdtAddress, Off: 0, Size: 1},
		elf.Section64{Name: 29, Type: uint32(elf.SHT_STRTAB), Off: namesAt,
			Size: uint64(len(names)), Addralign: 1})
	return b.Bytes()
}

// USDTNote builds a probe's note as sys/sdt.h has it.
func USDTNote(owner string, kind uint32, location, base uint64, texts string) []byte {
	desc := binary.LittleEndian.AppendUint64(nil, location)
	desc = binary.LittleEndian.AppendUint64(desc, base)
	desc = binary.LittleEndian.AppendUint64(desc, 0)
	desc = append(desc, texts...)
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(owner)+1))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(desc)))
	b = binary.LittleEndian.AppendUint32(b, kind)
	for _, part := range [][]byte{append([]byte(owner), 0), desc} {
		b = append(b, part...)
		for len(b)%4 != 0 {
			b = append(b, 0)
		}
	}
	return b
}

// JVMRuntime returns an image with the probes of a JVM's collector at begins and ends.
func JVMRuntime(code []byte, begins, ends uint64) []byte {
	return USDTProgram(code, USDTProbe{"hotspot", "gc__begin", begins},
		USDTProbe{"hotspot", "gc__end", ends})
}
