package symbols

import "debug/elf"

// File is of a format that this package may parse.
type File = elf.File
