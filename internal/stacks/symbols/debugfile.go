package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// debugDir is where distributions install the symbols that they strip from files.
const debugDir = "/usr/lib/debug"

// maxDebugFile bounds a file of symbols that has no build id and is checked by its checksum, in
// bytes.
const maxDebugFile = 1 << 30

// maxNote bounds the notes that lead to such files, in bytes.
const maxNote = 4096

// buildID returns the id that the linker gave a file, in hexadecimal, from the file's note. It
// returns "" where the file has none.
func buildID(e *elf.File) string {
	section := e.Section(".note.gnu.build-id")
	b, err := content(section, maxNote)
	if err != nil || len(b) < 16 {
		return ""
	}
	name, id, kind := e.ByteOrder.Uint32(b), e.ByteOrder.Uint32(b[4:]), e.ByteOrder.Uint32(b[8:])
	const gnuBuildID = 3
	if name != 4 || kind != gnuBuildID || !bytes.Equal(b[12:16], []byte("GNU\x00")) ||
		uint64(id) > uint64(len(b)-16) || id < 2 {
		return ""
	}
	return hex.EncodeToString(b[16 : 16+id])
}

// debugLink returns the name of the file with a file's symbols, and that file's checksum
// (.gnu_debuglink; GDB's manual, "Debugging Information in Separate Files"). The name has no
// directories. It is "" where the file has no such link.
func debugLink(e *elf.File) (name string, sum uint32) {
	section := e.Section(".gnu_debuglink")
	b, err := content(section, maxNote)
	if err != nil {
		return "", 0
	}
	end := bytes.IndexByte(b, 0)
	at := (end + 4) &^ 3 // behind the name's zero, at a multiple of four
	if end <= 0 || at+4 > len(b) {
		return "", 0
	}
	if name = string(b[:end]); strings.Contains(name, "/") || name == "." || name == ".." {
		return "", 0
	}
	return name, e.ByteOrder.Uint32(b[at:])
}

// byBuildID returns the path at which a file's symbols are installed by its build id.
func byBuildID(id string) string {
	return filepath.Join(debugDir, ".build-id", id[:2], id[2:]+".debug")
}

// maxDebugFiles bounds the files of symbols that are tried for one file.
const maxDebugFiles = 8

// separate adds the functions of a stripped file by symbols that are kept apart from it: in the
// first file that has them, else in its compressed section.
func (f *file) separate(l *list) {
	link, sum := debugLink(f.elf)
	for nth := 0; nth < maxDebugFiles && f.debug != nil && (f.id != "" || link != ""); nth++ {
		d, err := f.debug(f.id, link, nth)
		if err != nil {
			break
		}
		if f.separateIn(l, d, sum, calledSymbols(d.Name(), link, f.id)); len(l.spans) > 0 {
			return
		}
	}
	f.compressed(l)
}

// calledSymbols returns the name in a sentence of a file that may have symbols: its path, or, where
// it was opened for the resolver and has none, what was looked for.
func calledSymbols(path, link, id string) string {
	switch {
	case strings.Contains(path, "/"):
		return filepath.Join("/", path)
	case link != "":
		return printable(link)
	}
	return byBuildID(id)
}

// separateIn reads a file, called by its name, that may have symbols. It stays open if it has:
// their names are read later.
func (f *file) separateIn(l *list, d *os.File, sum uint32, name string) {
	e, err := regularELF(d)
	if err != nil {
		return
	}
	defer func() {
		if len(l.spans) == 0 {
			_ = d.Close() // it was only read
		} else {
			f.alsoClose(d.Close)
		}
	}()
	if s := e.SectionByType(elf.SHT_SYMTAB); s == nil || s.Size == 0 {
		return
	}
	same, err := f.sameBuild(e, d, sum)
	if err != nil {
		f.problem("read symbols of %s in %s: %v", f.path, name, err)
		return
	}
	if !same {
		f.problem("%s has the symbols of another build of %s", name, f.path)
		return
	}
	f.add(l, func() error { return l.symbolsOf(e, elf.SHT_SYMTAB, f.budget) })
}

// sameBuild reports whether a file of symbols belongs to the file. It compares the build ids, or,
// where either has none, the checksum of the file of symbols with sum.
func (f *file) sameBuild(e *elf.File, d *os.File, sum uint32) (bool, error) {
	if has := buildID(e); f.id != "" && has != "" {
		return has == f.id, nil
	}
	info, err := d.Stat()
	if err != nil {
		return false, err
	}
	if info.Size() > maxDebugFile {
		return false, errTooLong
	}
	h := crc32.NewIEEE()
	err = chunks(io.NewSectionReader(d, 0, info.Size()), 1, f.budget, func(b []byte) bool {
		_, _ = h.Write(b)
		return true
	})
	return err == nil && h.Sum32() == sum, err
}

// compressed adds the functions of the small table of symbols that a file can carry compressed
// (.gnu_debugdata; GDB's manual, "MiniDebugInfo"), as Fedora's files do. The unpacked bytes are
// kept, since names are read later.
func (f *file) compressed(l *list) {
	packed, err := content(f.elf.Section(".gnu_debugdata"), maxUnpacked)
	if err != nil {
		return
	}
	e, err := f.unpacked(packed)
	if err != nil {
		f.problem("read compressed symbols of %s: %v", f.path, err)
		return
	}
	f.add(l, func() error { return l.symbolsOf(e, elf.SHT_SYMTAB, f.budget) })
}

func (f *file) unpacked(packed []byte) (*elf.File, error) {
	if err := f.budget.goThrough(int64(len(packed)) * unpackingTakes); err != nil {
		return nil, err
	}
	b, err := unpack(packed, maxUnpacked, f.budget)
	if err != nil {
		return nil, err
	}
	if err := f.budget.goThrough(int64(len(b)) * unpackingTakes); err != nil {
		return nil, err
	}
	if err := f.budget.keep(len(b)); err != nil {
		return nil, err
	}
	return readELF(bytes.NewReader(b))
}

// unpackingTakes is the ratio of the time to unpack a byte to the time to read it.
const unpackingTakes = 50
