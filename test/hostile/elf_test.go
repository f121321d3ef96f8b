package hostile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// section is one of a crafted ELF file. Without data it takes size bytes of nothing, which take no
// place on a disk.
type section struct {
	name string
	kind elf.SectionType
	addr uint64
	data []byte
	size uint64
	link uint32
}

// A crafted file has its first loaded bytes mapped, with code from codeAt on.
const (
	codeAt = 0x1000
	loaded = 0x10000
	dataAt = 0x8000 // what is in memory besides code
)

// craft writes an ELF file whose code is the stub, with these sections besides .text.
func craft(t *testing.T, path string, sections ...section) {
	t.Helper()
	code := append(bytes.Clone(stub), bytes.Repeat([]byte{0x90}, loaded-codeAt-len(stub))...)
	craftCode(t, path, code, sections...)
}

func craftCode(t *testing.T, path string, code []byte, sections ...section) {
	t.Helper()
	names := []byte{0}
	all := append([]section{{}, {name: ".text", kind: elf.SHT_PROGBITS, addr: codeAt,
		size: uint64(len(code))}}, sections...)
	all = append(all, section{name: ".shstrtab", kind: elf.SHT_STRTAB})
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	end := uint64(loaded)
	headers := make([]elf.Section64, len(all))
	for i := range all {
		s := &all[i]
		h := &headers[i]
		if i == 0 {
			continue
		}
		h.Name = uint32(len(names))
		names = append(append(names, s.name...), 0)
		if i == len(all)-1 {
			s.data = names
		}
		h.Type, h.Addr, h.Link, h.Addralign = uint32(s.kind), s.addr, s.link, 1
		h.Size = max(s.size, uint64(len(s.data)))
		switch {
		case i == 1:
			h.Off = codeAt
			continue
		case s.addr != 0 && s.addr+h.Size <= loaded:
			h.Off = s.addr
		default:
			h.Off = end
			end += h.Size
		}
		if s.kind == elf.SHT_SYMTAB || s.kind == elf.SHT_DYNSYM {
			h.Entsize = elf.Sym64Size
		}
		_, err := f.WriteAt(s.data, int64(h.Off))
		must(t, err)
	}
	head := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: 64,
		Shoff: end, Ehsize: 64, Phentsize: 56, Phnum: 1, Shentsize: 64,
		Shnum: uint16(len(all)), Shstrndx: uint16(len(all) - 1),
	}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	load := elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X),
		Filesz: loaded, Memsz: loaded, Align: 4096}
	var b bytes.Buffer
	must(t, binary.Write(&b, binary.LittleEndian, head))
	must(t, binary.Write(&b, binary.LittleEndian, load))
	_, err = f.WriteAt(b.Bytes(), 0)
	must(t, err)
	b.Reset()
	must(t, binary.Write(&b, binary.LittleEndian, headers))
	_, err = f.WriteAt(b.Bytes(), int64(end))
	must(t, err)
	// Other data may lie in the loaded part: code is written up to the first.
	limit := uint64(loaded)
	for _, s := range all[2:] {
		if s.addr >= codeAt && s.addr < limit {
			limit = s.addr
		}
	}
	_, err = f.WriteAt(code[:min(uint64(len(code)), limit-codeAt)], codeAt)
	must(t, err)
	must(t, f.Chmod(0o755))
	chown(t, path)
}

// symbolTable is a table with these functions, all at the code, and its texts. It is the section
// number at.
func symbolTable(at uint32, names ...string) []section {
	text := []byte{0}
	table := make([]byte, elf.Sym64Size)
	for _, n := range names {
		table = appendSymbol(table, uint32(len(text)), elf.STT_FUNC, codeAt, loaded-codeAt)
		text = append(append(text, n...), 0)
	}
	return []section{{name: ".symtab", kind: elf.SHT_SYMTAB, data: table, link: at + 1},
		{name: ".strtab", kind: elf.SHT_STRTAB, data: text}}
}

func appendSymbol(b []byte, name uint32, kind elf.SymType, value, size uint64) []byte {
	b = binary.LittleEndian.AppendUint32(b, name)
	b = append(b, elf.ST_INFO(elf.STB_GLOBAL, kind), 0)
	b = binary.LittleEndian.AppendUint16(b, 1)
	b = binary.LittleEndian.AppendUint64(b, value)
	return binary.LittleEndian.AppendUint64(b, size)
}

// crafted is a path for a crafted file.
func (b *bed) crafted(name string) string { return filepath.Join(b.dir, name) }

// within FILE SECONDS STACK [READY] executes a crafted file's code: with a stack of none of its own
// (none), of return addresses (returns), or of frame pointers (chain).
func within(args []string) {
	code := mapAt(args[0], 0, loaded, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	base, words := fakeStack()
	bp := uintptr(0)
	r := numbers()
	address := func() uint64 { return uint64(code) + codeAt + 64 + r.Uint64N(4096) }
	if len(args) > 3 {
		ready(args[3])
	}
	for end := time.Now().Add(seconds(args[1])); time.Now().Before(end); {
		switch args[2] {
		case "returns":
			returns(words, address)
		case "chain":
			bp = base
			chained(base, words, address)
		}
		call(code+codeAt, base, bp, perLook)
	}
}

// anonymous is memory to execute, with the stub at its begin.
func anonymous(at, length uintptr) uintptr {
	p, err := mmap(at, length, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC,
		unix.MAP_ANON|unix.MAP_PRIVATE, -1)
	check(err)
	copy(unsafe.Slice((*byte)(pointer(p)), len(stub)), stub)
	return p
}

// deepStacks SECONDS executes code with deep stacks of which no two are the same.
func deepStacks(args []string) {
	const area = 1 << 20
	code := anonymous(0, area)
	base, words := fakeStack()
	r := numbers()
	for end := time.Now().Add(seconds(args[0])); time.Now().Before(end); {
		chained(base, words, func() uint64 { return uint64(code) + 64 + r.Uint64N(area-64) })
		call(code, base, base, perLook/300)
	}
}
