package symbols

import "errors"

// budget bounds the files, maps and tables of all processes together. Code beyond it stays without
// names, and a problem reports that. A file unlike any that a compiler makes thus loses its own
// names, and costs no memory or time.
type budget struct {
	kept int   // bytes of tables that may still be kept
	read int64 // bytes of files that may still be gone through
	code int64 // bytes of code that may still be searched for calls
	// pause is called now and then while files are gone through; nil: never
	pause func()
}

// Bounds of a budget. The table of libLLVM, the largest library of most machines, takes 3 MB, and
// 27 MB of the file are read for it.
const (
	maxTablesKept = 48 << 20
	maxRead       = 4 << 30
	maxCode       = 128 << 20
	// maxFunctions bounds the functions of one file or map: 12 MB, and as much again while they are
	// sorted
	maxFunctions = 1 << 19
)

var (
	errTooMany = errors.New("it has more functions than ebb keeps of one file")
	errNoRoom  = errors.New("the symbols of all files together exceed the memory limit")
	errTooLong = errors.New("the files read so far have used up the limit on reading")
)

// step is called after each piece of work, about the reading of 64 KiB of a file, so that pause can
// run.
func (b *budget) step() {
	if b.pause != nil {
		b.pause()
	}
}

// newBudget returns a budget of which nothing is used.
func newBudget() *budget { return &budget{kept: maxTablesKept, read: maxRead, code: maxCode} }

// keep takes memory for a table from the budget. It returns errNoRoom, and takes nothing, where too
// little is left.
func (b *budget) keep(bytes int) error {
	if bytes > b.kept {
		return errNoRoom
	}
	b.kept -= bytes
	return nil
}

// goThrough takes the reading of so many bytes of a file from the budget, or returns errTooLong.
func (b *budget) goThrough(bytes int64) error {
	if bytes > b.read {
		return errTooLong
	}
	b.read -= bytes
	return nil
}

// scan takes the search of so many bytes of code, byte by byte, from the budget, or returns
// errTooLong.
func (b *budget) scan(bytes int64) error {
	if bytes > b.code {
		return errTooLong
	}
	b.code -= bytes
	return nil
}
