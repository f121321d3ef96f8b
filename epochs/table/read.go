package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/ebb-energy/ebb/epochs"
)

// Reader reads an epoch table, epoch by epoch, in bounded memory.
type Reader struct {
	name    string
	lines   *lines
	header  Header
	columns *columns

	cells   [][]byte // cells of a row that was read and belongs to the next epoch
	pending error    // error of reading that row
	err     error    // error with which Next ended

	epoch   epochs.Epoch
	gap     epochs.Epoch
	hasNext bool // epoch is read, but a gap comes before it
	values  []int64
	endText []byte     // end_events of epoch, as it was written
	maxTID  epochs.TID // highest thread id of epoch's rows

	lastID  int64
	end     epochs.Ticks // end of the last epoch
	epochs  int
	elapsed epochs.Ticks
}

// NewReader reads a table from src, beginning with its header and column names. The name appears in
// errors. The first bytes of src decide whether it is compressed; it must be when name ends in .gz.
func NewReader(src io.Reader, name string) (*Reader, error) {
	r := &Reader{name: name, lastID: -1, end: -1}
	var err error
	if r.lines, err = newLines(src, name); err != nil {
		return nil, &Error{File: name, Line: 1, Err: err}
	}
	if err := r.readHeader(); err != nil {
		return nil, r.at("", err)
	}
	line, err := r.lines.next()
	if err == nil {
		r.columns, err = parseColumns(line)
	}
	if err == io.EOF {
		r.lines.number++
		err = fmt.Errorf("%w: there are none", ErrColumn)
	}
	if err != nil {
		return nil, r.at("", err)
	}
	r.cells = make([][]byte, 0, len(r.columns.names))
	r.advance()
	r.columns.classify(r.cells)
	return r, nil
}

func (r *Reader) readHeader() error {
	line, err := r.lines.next()
	switch {
	case err == io.EOF:
		r.lines.number = 1
		return fmt.Errorf("%w: the file is empty", ErrHeader)
	case errors.Is(err, ErrTorn) && (len(line) < 2 || string(line[:2]) != "# "):
		// For any other text without a newline, "no table" says more than "torn".
		return fmt.Errorf("%w: it does not begin with \"# \"", ErrHeader)
	case err != nil:
		return err
	case len(line) < 2 || string(line[:2]) != "# ":
		return fmt.Errorf("%w: it does not begin with \"# \"", ErrHeader)
	}
	if err := json.Unmarshal(line[2:], &r.header); err != nil {
		return fmt.Errorf("%w: %w", ErrHeader, err)
	}
	return nil
}

// Header returns the table's first line.
func (r *Reader) Header() Header { return r.header }

// Columns returns the names of the counters, in the order of a Row's Values: all columns except
// those that make an epoch and unknown ones without numbers.
func (r *Reader) Columns() []string { return slices.Clone(r.columns.counters) }

// Next returns the next epoch, valid until the next call, and io.EOF after the last one. A gap
// between two epochs comes as an epoch without rows and with ID -1. After an error Next returns the
// same error again; with ErrTorn and ErrTruncated the epochs returned before are whole.
func (r *Reader) Next() (*epochs.Epoch, error) {
	if r.err != nil {
		return nil, r.err
	}
	if r.hasNext {
		r.hasNext = false
		return r.deliver(&r.epoch), nil
	}
	if err := r.read(); err != nil {
		r.err = err
		return nil, err
	}
	if r.end >= 0 && r.epoch.Start > r.end {
		r.hasNext = true
		r.gap = epochs.Epoch{ID: -1, Start: r.end, Dur: r.epoch.Start - r.end}
		return r.deliver(&r.gap), nil
	}
	return r.deliver(&r.epoch), nil
}

func (r *Reader) deliver(e *epochs.Epoch) *epochs.Epoch {
	if e.ID >= 0 {
		r.epochs++
	}
	r.elapsed += e.Dur
	r.end = e.Start + e.Dur
	return e
}

// CheckTotals compares the epochs read with the header's count and total time, as far as it has
// them. Call it after Next has returned io.EOF. The error wraps ErrTotals.
func (r *Reader) CheckTotals() error {
	switch h := r.header; {
	case h.Epochs != 0 && h.Epochs != r.epochs:
		return fmt.Errorf("%s: %w: %d epochs, not %d", r.name, ErrTotals, r.epochs, h.Epochs)
	case h.Total != 0 && h.Total != r.elapsed:
		return fmt.Errorf("%s: %w: %d %s, not %d", r.name, ErrTotals, r.elapsed, h.TimeUnit,
			h.Total)
	}
	return nil
}

// at wraps err with the reader's place.
func (r *Reader) at(column string, err error) error {
	return &Error{File: r.name, Line: r.lines.number, Column: column, Err: err}
}
