package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"path/filepath"
)

// debugDir is where distributions install the symbols that they strip from files, by the files' build ids.
const debugDir = "/usr/lib/debug/.build-id"

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

// separate is the symbols of a stripped file that are installed apart from it, in the first of roots that has them.
func separate(e *elf.File, roots []string) []elf.Symbol {
	id := buildID(e)
	if id == "" {
		return nil
	}
	for _, root := range roots {
		d, closeFile, err := openRegular(root + filepath.Join(debugDir, id[:2], id[2:]+".debug"))
		if err != nil {
			continue
		}
		var list []elf.Symbol
		if buildID(d) == id {
			list = staticSymbols(d)
		}
		closeFile()
		if len(list) > 0 {
			return list
		}
	}
	return nil
}
