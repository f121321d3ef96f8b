package table

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/ebb-energy/ebb/epochs"
)

// Rows keeps a table's rows until it is complete: a file without a name, so that nothing is left
// behind however the program ends.
type Rows interface {
	io.ReadWriteSeeker
	io.Closer
}

// Writer writes an epoch table. The header's totals are known only at the end, so the rows are kept
// apart, and Close writes the table.
type Writer struct {
	name    string
	columns []string
	rows    Rows
	zip     *gzip.Writer
	buf     *bufio.Writer
	line    []byte
	head    []byte // beginning of each of the epoch's rows
	err     error  // error of an earlier Write

	threads map[epochs.TID]struct{}
	epochs  int
	elapsed epochs.Ticks
	end     epochs.Ticks
}

// NewWriter begins a table with the given names of counters. The name appears in errors, and its
// ending decides whether the table is compressed. The writer closes the rows.
func NewWriter(name string, rows Rows, counters []string) (*Writer, error) {
	head := slices.Concat(before, counters)
	for _, c := range counters {
		if strings.ContainsAny(c, ",\r\n") {
			return nil, fmt.Errorf("create %s: %w: %q", name, ErrColumn, c)
		}
	}
	if _, err := parseColumns([]byte(strings.Join(head, ","))); err != nil {
		return nil, fmt.Errorf("create %s: %w", name, err)
	}
	w := &Writer{name: name, columns: head, rows: rows, threads: map[epochs.TID]struct{}{}, end: -1}
	if compressed(name) {
		// The rows become a gzip member of their own. A run is recorded while it runs: speed
		// counts.
		w.zip, _ = gzip.NewWriterLevel(rows, gzip.BestSpeed) // the level is valid
		w.buf = bufio.NewWriterSize(w.zip, lineBuffer)
	} else {
		w.buf = bufio.NewWriterSize(rows, lineBuffer)
	}
	return w, nil
}

func compressed(name string) bool { return strings.HasSuffix(name, ".gz") }

// Write adds an epoch, which must not begin before the end of the one before. Epochs are numbered
// from 0 in their order; those without length are left out.
func (w *Writer) Write(e *epochs.Epoch) error {
	if w.err == nil {
		w.err = w.write(e)
	}
	return w.err
}

// notWritten names the intended file: the one being written has no name, or another.
func notWritten(name string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("write %s: %w", name, err)
}

func (w *Writer) write(e *epochs.Epoch) error {
	if err := w.check(e); err != nil {
		return fmt.Errorf("write %s: %w: %w", w.name, ErrEpoch, err)
	}
	if e.Dur == 0 {
		return nil
	}
	if w.end >= 0 {
		w.elapsed += e.Start - w.end // a gap counts as idle
	}
	h := strconv.AppendInt(w.head[:0], int64(w.epochs), 10)
	h = append(h, ',')
	h = strconv.AppendInt(h, int64(e.Start), 10)
	h = append(h, ',')
	h = strconv.AppendInt(h, int64(e.Dur), 10)
	h = append(h, ',')
	h = appendEnds(h, e.Ends)
	if e.Hole {
		h = append(h, ",1,"...)
	} else {
		h = append(h, ",0,"...)
	}
	for _, v := range []epochs.Ticks{e.Waits.Runnable, e.Waits.Throttled, e.Waits.Program,
		e.Waits.World} {
		h = strconv.AppendInt(h, int64(v), 10)
		h = append(h, ',')
	}
	w.head = h
	w.epochs++
	w.elapsed += e.Dur
	w.end = e.Start + e.Dur
	if len(e.Rows) == 0 {
		return w.row(epochs.NoThread, nil)
	}
	for i := range e.Rows {
		w.threads[e.Rows[i].Thread] = struct{}{}
		if err := w.row(e.Rows[i].Thread, e.Rows[i].Values); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) row(tid epochs.TID, values []int64) error {
	b := append(w.line[:0], w.head...)
	b = strconv.AppendInt(b, int64(tid), 10)
	for i := range len(w.columns) - len(before) {
		b = append(b, ',')
		if values == nil {
			b = append(b, '0')
		} else {
			b = strconv.AppendInt(b, values[i], 10)
		}
	}
	w.line = append(b, '\n')
	if _, err := w.buf.Write(w.line); err != nil {
		return notWritten(w.name, err)
	}
	return nil
}
