package table

import (
	"errors"
	"fmt"
)

// Faults of a table. An Error wraps one of these, an ErrNotNumber and its like, an ErrEnds, or the
// error of the reader behind the table.
var (
	// ErrTorn: the file ends within a line, as when its writer was killed. The epochs before were
	// returned.
	ErrTorn = errors.New("the last line is torn")
	// ErrTruncated: the compressed data end early. The epochs before were returned.
	ErrTruncated = errors.New("the gzip data end early")
	// ErrCompression: the file is no gzip, though its name says so, or its data are damaged.
	ErrCompression = errors.New("bad gzip data")
	// ErrLongLine: a line is longer than MaxLine.
	ErrLongLine = errors.New("the line is too long")
	// ErrHeader: line 1 is not "# " and a JSON object with the keys that must be there.
	ErrHeader = errors.New("not an epoch table's first line")
	// ErrColumn: line 2 lacks a column, or has one twice or without a name.
	ErrColumn = errors.New("bad column names")
	// ErrWidth: a row has more or fewer cells than there are columns.
	ErrWidth = errors.New("wrong number of columns")
	// ErrDisagree: a row contradicts the first row of its epoch.
	ErrDisagree = errors.New("the rows of an epoch differ")
	// ErrOrder: an epoch comes after a later one, or begins before the one before it ends.
	ErrOrder = errors.New("epochs out of order")
	// ErrTotals: the header's totals are not what the rows add up to.
	ErrTotals = errors.New("the rows do not add up to the header's totals")
)

// Error is a fault of a table with its place.
type Error struct {
	File   string
	Line   int    // from 1; of the uncompressed text
	Column string // name of the column; empty for a fault of the whole line
	Err    error
}

func (e *Error) Error() string {
	if e.Column != "" {
		return fmt.Sprintf("%s:%d: column %s: %v", e.File, e.Line, e.Column, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }
