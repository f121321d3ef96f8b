package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// debugDir is where distributions install the symbols that they strip from files.
const debugDir = "/usr/lib/debug"

// maxDebugFile bounds a file of symbols that has no build id and is checked by its sum, in bytes.
const maxDebugFile = 1 << 30

// buildID is the id that the linker gave a file, by its note; "" where there is none.
func buildID(e *elf.File) string {
	section := e.Section(".note.gnu.build-id")
	if section == nil || section.Size > 4096 {
		return ""
	}
	b, err := section.Data()
	if err != nil || len(b) < 16 {
		return ""
	}
	name, id, kind := e.ByteOrder.Uint32(b), e.ByteOrder.Uint32(b[4:]), e.ByteOrder.Uint32(b[8:])
	const gnuBuildID = 3
	if name != 4 || kind != gnuBuildID || !bytes.Equal(b[12:16], []byte("GNU\x00")) || uint64(id) > uint64(len(b)-16) || id < 2 {
		return ""
	}
	return hex.EncodeToString(b[16 : 16+id])
}

// debugLink is the name of the file that has a file's symbols, and that file's sum (.gnu_debuglink; GDB's manual, "Debugging
// Information in Separate Files"); "" where there is none. It is a name without directories.
func debugLink(e *elf.File) (name string, sum uint32) {
	section := e.Section(".gnu_debuglink")
	if section == nil || section.Size > 4096 {
		return "", 0
	}
	b, err := section.Data()
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

// byBuildID is where a file's symbols are installed by its build id.
func byBuildID(id string) string {
	return filepath.Join(debugDir, ".build-id", id[:2], id[2:]+".debug")
}

// maxDebugFiles bounds how many files of symbols are tried for one file.
const maxDebugFiles = 8

// separate is the functions of a stripped file by symbols that are kept apart from it: in the first file that has them, else
// in its compressed section.
func (f *file) separate() []named {
	link, sum := debugLink(f.elf)
	for nth := 0; nth < maxDebugFiles && f.debug != nil && (f.id != "" || link != ""); nth++ {
		d, err := f.debug(f.id, link, nth)
		if err != nil {
			break
		}
		if list := f.separateIn(d, sum); len(list) > 0 {
			return list
		}
	}
	return f.compressed()
}

// separateIn reads and closes a file that may have symbols.
func (f *file) separateIn(d *os.File, sum uint32) []named {
	e, err := regularELF(d)
	if err != nil {
		return nil
	}
	defer d.Close()
	list := functionsOf(e, elf.SHT_SYMTAB)
	if len(list) == 0 {
		return nil
	}
	if !ofBuild(e, d, f.id, sum) {
		f.problems = append(f.problems, fmt.Sprintf("%s has the symbols of another build of %s", filepath.Join("/", d.Name()), f.path))
		return nil
	}
	return list
}

// ofBuild says whether a file of symbols is that of a file with this build id, or, where one has none, whether its sum is
// the one that the file tells.
func ofBuild(e *elf.File, d *os.File, id string, sum uint32) bool {
	if has := buildID(e); id != "" && has != "" {
		return has == id
	}
	h := crc32.NewIEEE()
	n, err := io.Copy(h, io.NewSectionReader(d, 0, maxDebugFile+1))
	return err == nil && n <= maxDebugFile && h.Sum32() == sum
}

// compressed is the functions of the small table of symbols that a file carries compressed (.gnu_debugdata, GDB's manual,
// "MiniDebugInfo"), as those of Fedora do.
func (f *file) compressed() []named {
	section := f.elf.Section(".gnu_debugdata")
	if section == nil || section.Size > maxUnpacked {
		return nil
	}
	packed, err := section.Data()
	if err != nil {
		return nil
	}
	b, err := unpack(packed, maxUnpacked)
	if err != nil {
		f.problems = append(f.problems, fmt.Sprintf("read compressed symbols of %s: %v", f.path, err))
		return nil
	}
	e, err := elf.NewFile(bytes.NewReader(b))
	if err != nil {
		f.problems = append(f.problems, fmt.Sprintf("read compressed symbols of %s: %v", f.path, err))
		return nil
	}
	return functionsOf(e, elf.SHT_SYMTAB)
}
