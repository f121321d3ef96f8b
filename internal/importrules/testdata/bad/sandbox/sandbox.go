package sandbox

import (
	"debug/gosym"

	"example.com/bad/stacks/symbols"
)

// Two ways to parse.
type (
	File  = symbols.File
	Table = gosym.Table
)
