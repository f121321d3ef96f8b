package sandbox

import (
	"debug/gosym"

	"example.com/bad/internal/stacks/symbols"
)

// Two ways to parse.
type (
	File  = symbols.File
	Table = gosym.Table
)
