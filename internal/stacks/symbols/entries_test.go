package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// entryFile is a file whose code, from 0x1000 on, has a function of each of these names, 0x10 bytes
// apart.
func entryFile(functions ...string) []byte {
	text, table := []byte{0}, make([]byte, elf.Sym64Size)
	for i, n := range functions {
		sym := elf.Sym64{Name: uint32(len(text)), Info: elf.ST_INFO(elf.STB_LOCAL, elf.STT_FUNC),
			Shndx: 1, Value: 0x401000 + uint64(i)*0x10, Size: 0x10}
		var b bytes.Buffer
		_ = binary.Write(&b, binary.LittleEndian, sym)
		table = append(table, b.Bytes()...)
		text = append(append(text, n...), 0)
	}
	const size, codeAt, names = 64, 0x1000, "\x00.text\x00.symtab\x00.strtab\x00.shstrtab\x00"
	at := uint64(codeAt + 0x1000)
	sections := []elf.Section64{{},
		{Name: 1, Type: uint32(elf.SHT_PROGBITS), Addr: 0x401000, Off: codeAt, Size: 0x1000},
		{Name: 7, Type: uint32(elf.SHT_SYMTAB), Off: at, Size: uint64(len(table)), Link: 3,
			Entsize: elf.Sym64Size},
		{Name: 15, Type: uint32(elf.SHT_STRTAB), Off: at + uint64(len(table)),
			Size: uint64(len(text))},
		{Name: 23, Type: uint32(elf.SHT_STRTAB), Off: at + uint64(len(table)+len(text)),
			Size: uint64(len(names))}}
	head := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(machines[runtime.GOARCH]),
		Version: 1, Phoff: size, Shoff: at + uint64(len(table)+len(text)+len(names)),
		Ehsize: size, Phentsize: 56, Phnum: 1, Shentsize: size, Shnum: uint16(len(sections)),
		Shstrndx: 4}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	load := elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X),
		Off: codeAt, Vaddr: 0x401000, Filesz: 0x1000, Memsz: 0x1000, Align: 0x1000}
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, head)
	_ = binary.Write(&b, binary.LittleEndian, load)
	b.Write(make([]byte, at-uint64(b.Len())))
	b.Write(table)
	b.Write(text)
	b.WriteString(names)
	_ = binary.Write(&b, binary.LittleEndian, sections)
	return b.Bytes()
}

// found searches a file for functions.
func found(t *testing.T, data []byte, most int, names ...string) ([]Entry, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return Entries(f, names, most)
}

// TestEntries: a function is found by its symbol and by its name without parameters, with the
// copies that GCC made of it and all others of its name, and without its parts.
func TestEntries(t *testing.T) {
	list, err := found(t, entryFile("plain", "_ZN1a1bEi", "_ZN1a1bEd", "plain.constprop.0",
		"plain.part.0", "plain.isra.0.constprop.1", "plain.cold", "plainer", "same", "same"), 3,
		"plain", "a::b", "none", "same", "_ZN1a1bEd")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]uint64{{0x1000, 0x1030, 0x1050}, {0x1010, 0x1020}, nil,
		{0x1080, 0x1090}, {0x1020}} {
		if !slices.Equal(list[i].Offsets, want) || (list[i].Err == nil) != (want != nil) {
			t.Errorf("%d: %x, %v, want %x", i, list[i].Offsets, list[i].Err, want)
		}
	}
	if !errors.Is(list[2].Err, errNoFunction) || list[1].Shown != "a::b" ||
		list[0].Shown != "plain" {
		t.Errorf("%+v", list)
	}
}

// TestEntriesRefuse: what is no function, too often there, or in no file for this machine.
func TestEntriesRefuse(t *testing.T) {
	list, err := found(t, entryFile("f", "f", "f"), 2, "f")
	if err != nil || list[0].Err == nil || list[0].Offsets != nil {
		t.Errorf("%+v, %v", list, err)
	}
	other := entryFile("f")
	binary.LittleEndian.PutUint16(other[18:], uint16(elf.EM_S390))
	if _, err := found(t, other, 2, "f"); !errors.Is(err, errMachine) {
		t.Error(err)
	}
	if _, err := found(t, []byte("#!/bin/sh\n"), 2, "f"); err == nil {
		t.Error("a script has functions")
	}
	indirect := entryFile("f")
	indirect[0x2000+elf.Sym64Size+4] = elf.ST_INFO(elf.STB_GLOBAL, elf.STT_GNU_IFUNC)
	if list, err := found(t, indirect, 2, "f"); err != nil || !errors.Is(list[0].Err, errIndirect) {
		t.Errorf("%+v, %v", list, err)
	}
	data := entryFile("f") // its symbol's address is in no segment
	binary.LittleEndian.PutUint64(data[0x2000+elf.Sym64Size+8:], 1<<63)
	if list, err := found(t, data, 2, "f"); err != nil || list[0].Err == nil {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestEntriesStripped: of a stripped library the exported functions are found, and of the others it
// is said why not.
func TestEntriesStripped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lib.so")
	source := path + ".c"
	if err := os.WriteFile(source, []byte(librarySource), 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "gcc", "-O1", "-shared", "-fPIC", "-o", path, source)
	tool(t, "strip", path)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := Entries(f, []string{"shown", "hidden"}, 4)
	if err != nil || len(list[0].Offsets) != 1 || list[0].Shown != "shown" ||
		!errors.Is(list[1].Err, errStripped) {
		t.Errorf("%+v, %v", list, err)
	}
}
