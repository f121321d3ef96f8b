package symbols

import "errors"

// Budget bounds the files, maps and tables of all processes together. Code beyond it stays without
// names, and a problem says so. So a file unlike any that a compiler made loses its own names, and
// does not cost memory or time.
type Budget struct {
	kept int   // bytes of tables that may still be kept
	read int64 // bytes of files that may still be gone through
	code int64 // bytes of code that may still be searched for calls
	// pause is called now and then while files are gone through; nil: never
	pause func()
}

// Bounds of a budget. A table of libLLVM, the largest library of most machines, takes 3 MB of it,
// and 27 MB are gone through.
const (
	maxTablesKept = 48 << 20
	maxRead       = 4 << 30
	maxCode       = 128 << 20
	// of one file or map: 12 MB, and as much again while they are put in order
	maxFunctions = 1 << 19
)

var (
	errTooMany = errors.New("it has more functions than ebb keeps of one file")
	errNoRoom  = errors.New("the symbols of all files together exceed the memory limit")
	errTooLong = errors.New("the files read so far have used up the limit on reading")
)

// step says that a piece of work is done: some 64 KiB of a file, or as long as that takes.
func (b *Budget) step() {
	if b.pause != nil {
		b.pause()
	}
}

// newBudget is a whole budget.
func newBudget() *Budget { return &Budget{kept: maxTablesKept, read: maxRead, code: maxCode} }

// keep takes room for a table.
func (b *Budget) keep(bytes int) error {
	if bytes > b.kept {
		return errNoRoom
	}
	b.kept -= bytes
	return nil
}

// goThrough takes the reading of part of a file.
func (b *Budget) goThrough(bytes int64) error {
	if bytes > b.read {
		return errTooLong
	}
	b.read -= bytes
	return nil
}

// scan takes the search of code, byte by byte.
func (b *Budget) scan(bytes int64) error {
	if bytes > b.code {
		return errTooLong
	}
	b.code -= bytes
	return nil
}
