package table

import (
	"bytes"
	"fmt"
	"math"

	"github.com/ebb-energy/ebb/epochs"
)

// row takes the cells into r.epoch and r.values and returns the thread.
func (r *Reader) row(first bool) (tid epochs.TID, err error) {
	e := &r.epoch
	for i, ro := range r.columns.role {
		cell := r.cells[i]
		var v int64
		switch ro {
		case ignored:
			continue
		case roleEnds:
			if err := r.ends(first, cell); err != nil {
				return 0, err
			}
			continue
		case roleTID:
			if string(cell) == "-1" {
				tid = epochs.NoThread
				continue
			}
		}
		if v, err = whole(cell); err != nil {
			return 0, r.at(r.columns.names[i], err)
		}
		switch ro {
		case counter:
			r.values = append(r.values, v)
		case roleTID:
			if v > math.MaxInt32 {
				return 0, r.at(columnTID, fmt.Errorf("%w: %d", ErrRange, v))
			}
			tid = epochs.TID(v)
		case roleHole:
			e.Hole = e.Hole || v != 0
		case roleEpoch:
			err = r.identify(first, v)
		case roleStart:
			err = r.agree(first, columnStart, &e.Start, epochs.Ticks(v))
		case roleDur:
			err = r.agree(first, columnDur, &e.Dur, epochs.Ticks(v))
		case roleRunnable:
			err = r.agree(first, columnRunnable, &e.Waits.Runnable, epochs.Ticks(v))
		case roleThrottled:
			err = r.agree(first, columnThrottled, &e.Waits.Throttled, epochs.Ticks(v))
		case roleProgram:
			err = r.agree(first, columnProgram, &e.Waits.Program, epochs.Ticks(v))
		case roleWorld:
			err = r.agree(first, columnWorld, &e.Waits.World, epochs.Ticks(v))
		}
		if err != nil {
			return 0, err
		}
	}
	if first {
		err = r.checkTime()
	}
	return tid, err
}

func (r *Reader) identify(first bool, id int64) error {
	if !first {
		return nil // the same, otherwise the row would belong to another epoch
	}
	if id <= r.lastID {
		return r.at(columnEpoch, fmt.Errorf("%w: %d after %d", ErrOrder, id, r.lastID))
	}
	r.lastID, r.epoch.ID = id, int(id)
	return nil
}

func (r *Reader) agree(first bool, column string, has *epochs.Ticks, v epochs.Ticks) error {
	if first {
		*has = v
	} else if *has != v {
		return r.at(column, fmt.Errorf("%w: %d, and %d before", ErrDisagree, v, *has))
	}
	return nil
}

func (r *Reader) ends(first bool, cell []byte) (err error) {
	if !first {
		if !bytes.Equal(cell, r.endText) {
			return r.at(columnEnds, fmt.Errorf("%w: %.40q, and %.40q before", ErrDisagree, cell,
				r.endText))
		}
		return nil
	}
	r.endText = append(r.endText[:0], cell...)
	if r.epoch.Ends, err = parseEnds(r.epoch.Ends, cell); err != nil {
		return r.at(columnEnds, err)
	}
	return nil
}

func (r *Reader) checkTime() error {
	e := &r.epoch
	switch {
	case e.Start > math.MaxInt64-e.Dur || r.elapsed > math.MaxInt64-e.Dur:
		return r.at(columnDur, fmt.Errorf("%w: %d after %d", ErrRange, e.Dur, e.Start))
	case e.Start < r.end:
		return r.at(columnStart, fmt.Errorf("%w: it begins at %d, the one before ends at %d",
			ErrOrder, e.Start, r.end))
	}
	return nil
}

// addRow adds the row whose values were read last.
func (r *Reader) addRow(tid epochs.TID) error {
	rows := r.epoch.Rows
	switch n := len(rows); {
	case n == 0:
	case tid == epochs.NoThread || rows[0].Thread == epochs.NoThread:
		return r.at(columnTID, fmt.Errorf("%w: an idle stretch has one row", ErrDisagree))
	case n == maxRows:
		return r.at("", fmt.Errorf("%w: more than %d rows in an epoch", ErrDisagree, maxRows))
	case tid <= r.maxTID:
		for _, row := range rows {
			if row.Thread == tid {
				return r.at(columnTID, fmt.Errorf("%w: thread %d has two", ErrDisagree, tid))
			}
		}
	}
	if r.maxTID = max(r.maxTID, tid); len(rows) == 0 {
		r.maxTID = tid
	}
	r.epoch.Rows = append(rows, epochs.Row{Thread: tid})
	return nil
}
