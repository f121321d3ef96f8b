package sandbox

import (
	"debug/gosym"

	"example.com/bad/energy/symbols"
)

// Two ways to parse.
type (
	File  = symbols.File
	Table = gosym.Table
)
