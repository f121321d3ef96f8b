package table

import (
	"bytes"
	"errors"
	"io"

	"github.com/ebb-energy/ebb/epochs"
)

// advance reads the next row's cells, or notes the error if there are none.
func (r *Reader) advance() {
	line, err := r.lines.next()
	if err == nil {
		r.cells, err = r.columns.split(line, r.cells)
	} else {
		r.cells = r.cells[:0]
		if torn(err) && bytes.IndexByte(line, ',') > 0 {
			// The id is whole; it shows whether the epoch before is.
			r.cells = append(r.cells, line[:bytes.IndexByte(line, ',')])
		}
	}
	r.pending = err
}

// torn reports whether err came with the beginning of a line.
func torn(err error) bool { return errors.Is(err, ErrTorn) || errors.Is(err, ErrTruncated) }

// read fills in r.epoch from its rows.
func (r *Reader) read() error {
	if r.pending != nil {
		return r.failed()
	}
	r.values = r.values[:0]
	e := &r.epoch
	*e = epochs.Epoch{Rows: e.Rows[:0], Ends: e.Ends[:0]}
	for {
		tid, err := r.row(len(e.Rows) == 0)
		if err != nil {
			return err
		}
		if err := r.addRow(tid); err != nil {
			return err
		}
		r.advance()
		if done, err := r.epochDone(); err != nil {
			return err
		} else if done {
			break
		}
	}
	if e.Rows[0].Thread == epochs.NoThread {
		e.Rows = e.Rows[:0]
	}
	n := len(r.columns.counters)
	for i := range e.Rows {
		e.Rows[i].Values = r.values[i*n : (i+1)*n : (i+1)*n]
	}
	return nil
}

// failed returns the error that is pending instead of a row.
func (r *Reader) failed() error {
	if r.pending == io.EOF {
		return io.EOF
	}
	return r.at("", r.pending)
}

// epochDone reports whether the row read ahead belongs to another epoch.
func (r *Reader) epochDone() (bool, error) {
	switch {
	case r.pending == io.EOF:
		return true, nil
	case r.pending != nil && !torn(r.pending):
		return false, r.failed()
	case r.pending != nil:
		// The epoch is whole only if the torn row shows another id.
		if len(r.cells) == 1 && r.columns.role[0] == roleEpoch {
			if id, err := whole(r.cells[0]); err == nil && id > int64(r.epoch.ID) {
				return true, nil
			}
		}
		return false, r.failed()
	}
	for i, ro := range r.columns.role {
		if ro == roleEpoch {
			id, err := whole(r.cells[i])
			if err != nil {
				return false, r.at(columnEpoch, err)
			}
			return id != int64(r.epoch.ID), nil
		}
	}
	return false, nil // unreachable: the column is required
}
