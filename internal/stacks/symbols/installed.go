package symbols

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
)

// Installed is a file with the symbols that were stripped from another file, or that other file
// before it was stripped.
type Installed struct{ f *file }

var (
	errOtherBuild = errors.New("it has the symbols of another build")
	errNoSymbols  = errors.New("it has no symbols")
)

// ReadInstalled reads the symbols of the file with a build id. It keeps f open, and closes it if it
// fails.
func ReadInstalled(f *os.File, buildID string) (s *Installed, err error) {
	e, err := regularELF(f)
	if err != nil {
		return nil, fmt.Errorf("read symbols: %w", err)
	}
	n := newFile(e)
	n.closer = f.Close
	if n.buildID() != buildID {
		return nil, errors.Join(errOtherBuild, n.close())
	}
	if e.SectionByType(elf.SHT_SYMTAB) == nil && e.Section(".gnu_debugdata") == nil {
		return nil, errors.Join(errNoSymbols, n.close())
	}
	n.load()
	if len(n.table.spans) == 0 {
		return nil, errors.Join(errNoSymbols, n.close())
	}
	return &Installed{n}, nil
}

// Name returns the name of the function at an address in the other file's own numbering.
func (i *Installed) Name(addr uint64) (name string, ok bool) {
	at, ok := i.f.table.at(addr)
	if ok && at.guessed {
		at, ok = i.f.bounded(at, ok, addr)
	}
	if !ok || at.entry != 0 {
		return "", false
	}
	return native(at, "").Name, true
}

// Close closes the file: names are read from it as they are asked for.
func (i *Installed) Close() error { return i.f.close() }
